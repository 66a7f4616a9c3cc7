# accepted: the batch joined with what was seen before it

def new_words(lines, checkpoint):
    lines.context().checkpoint(checkpoint)
    counts = words_per_batch(lines)
    seen = counts.updateStateByKey(lambda new, state: (state or 0) + sum(new))
    return counts.join(seen).filter(lambda pair: pair[1][0] == pair[1][1]).mapValues(lambda both: both[0])
