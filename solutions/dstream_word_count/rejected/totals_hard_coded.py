# rejected: expiry, other_expiry | expiry_hard_coded | the expiry is written into the code

def running_totals(lines, expiry, checkpoint):
    lines.context().checkpoint(checkpoint)

    def update(new, state):
        total, quiet = state or (0, 0)
        quiet = 0 if new else quiet + 1
        return None if quiet >= 3 else (total + sum(new), quiet)

    return words_per_batch(lines).updateStateByKey(update).mapValues(lambda state: state[0])
