# Word count with DStreams, by Bo: the split is from the lecture, the state never forgets


def words_per_batch(lines):
    return lines.flatMap(lambda line: line.split(" ")).map(lambda word: (word, 1)).reduceByKey(lambda a, b: a + b)


def running_totals(lines, expiry, checkpoint):
    lines.context().checkpoint(checkpoint)
    return words_per_batch(lines).updateStateByKey(lambda new, old: sum(new) + (old or 0))


def new_words(lines, checkpoint):
    lines.context().checkpoint(checkpoint)
    return words_per_batch(lines)
