# rejected: new_only, comes_back | forgets | a quiet word is forgotten

def new_words(lines, checkpoint):
    lines.context().checkpoint(checkpoint)
    seen = words_per_batch(lines).updateStateByKey(lambda new, state: (sum(new), state is None) if new else None)
    return seen.filter(lambda pair: pair[1][1]).mapValues(lambda state: state[0])
