# rejected: new_only, comes_back | stays_new | a word is reported in all later batches

def new_words(lines, checkpoint):
    lines.context().checkpoint(checkpoint)
    return words_per_batch(lines).updateStateByKey(lambda new, state: state or sum(new))
