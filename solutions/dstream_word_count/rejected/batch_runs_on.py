# rejected: batch_counts, splitting, other_letters, empty_batches | running | state where each batch is to be counted by itself

def words_per_batch(lines):
    lines.context().checkpoint("checkpoint")
    words = lines.flatMap(lambda line: line.split()).map(lambda word: word.strip(string.punctuation).lower()).filter(bool)
    return words.map(lambda word: (word, 1)).updateStateByKey(lambda new, old: sum(new) + (old or 0))


def running_totals(lines, expiry, checkpoint):
    lines.context().checkpoint(checkpoint)

    def update(new, state):
        total, quiet = state or (0, 0)
        quiet = 0 if new else quiet + 1
        return None if quiet >= expiry else (total + sum(new), quiet)

    return _words(lines).map(lambda word: (word, 1)).updateStateByKey(update).mapValues(lambda state: state[0])


def new_words(lines, checkpoint):
    lines.context().checkpoint(checkpoint)
    seen = _words(lines).map(lambda word: (word, 1)).updateStateByKey(lambda new, old: (sum(new), True) if old is None else (0, False))
    return seen.filter(lambda pair: pair[1][1]).mapValues(lambda state: state[0])
