# rejected: totals_run_on, quiet_word, expiry, other_expiry | state_left_out | the old total is left out

def running_totals(lines, expiry, checkpoint):
    lines.context().checkpoint(checkpoint)

    def update(new, state):
        total, quiet = state or (0, 0)
        if new:
            return (sum(new), 0)
        return None if quiet + 1 >= expiry else (total, quiet + 1)

    return words_per_batch(lines).updateStateByKey(update).mapValues(lambda state: state[0])
