# rejected: expiry, other_expiry | quiet_never_reset | quiet batches are added up

def running_totals(lines, expiry, checkpoint):
    lines.context().checkpoint(checkpoint)

    def update(new, state):
        total, quiet = state or (0, 0)
        quiet = quiet if new else quiet + 1
        return None if quiet >= expiry else (total + sum(new), quiet)

    return words_per_batch(lines).updateStateByKey(update).mapValues(lambda state: state[0])
