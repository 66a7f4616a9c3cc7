# rejected: new_run | no_checkpoint | no checkpoint folder

def new_words(lines, checkpoint):
    seen = words_per_batch(lines).updateStateByKey(lambda new, state: (sum(new), True) if state is None else (0, False))
    return seen.filter(lambda pair: pair[1][1]).mapValues(lambda state: state[0])
