# rejected: new_only, comes_back | once_in_all | words that came once in all

def new_words(lines, checkpoint):
    lines.context().checkpoint(checkpoint)
    totals = words_per_batch(lines).updateStateByKey(lambda new, state: (state or 0) + sum(new))
    return totals.filter(lambda pair: pair[1] == 1)
