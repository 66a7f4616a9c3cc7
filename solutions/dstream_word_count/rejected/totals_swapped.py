# rejected: totals_run | - | the update function's parameters are swapped

def running_totals(lines, expiry, checkpoint):
    lines.context().checkpoint(checkpoint)

    def update(state, new):
        total, quiet = state or (0, 0)
        return (total + sum(new), quiet)

    return words_per_batch(lines).updateStateByKey(update).mapValues(lambda state: state[0])
