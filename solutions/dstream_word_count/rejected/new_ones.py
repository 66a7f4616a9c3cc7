# rejected: new_only, comes_back | ones | the count of a new word is 1

def new_words(lines, checkpoint):
    lines.context().checkpoint(checkpoint)
    seen = words_per_batch(lines).updateStateByKey(lambda new, state: state is None)
    return seen.filter(lambda pair: pair[1]).mapValues(lambda _: 1)
