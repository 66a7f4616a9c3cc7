# rejected: totals_run_on, expiry, other_expiry | one_batch_early | forgotten one batch too early

def running_totals(lines, expiry, checkpoint):
    lines.context().checkpoint(checkpoint)

    def update(new, state):
        total, quiet = state or (0, 0)
        quiet = 0 if new else quiet + 1
        return None if quiet >= expiry - 1 else (total + sum(new), quiet)

    return words_per_batch(lines).updateStateByKey(update).mapValues(lambda state: state[0])
