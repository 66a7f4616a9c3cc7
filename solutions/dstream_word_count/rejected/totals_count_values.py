# rejected: totals_run_on, quiet_word, expiry, other_expiry | values_counted | len where sum is needed

def running_totals(lines, expiry, checkpoint):
    lines.context().checkpoint(checkpoint)

    def update(new, state):
        total, quiet = state or (0, 0)
        quiet = 0 if new else quiet + 1
        return None if quiet >= expiry else (total + len(new), quiet)

    return words_per_batch(lines).updateStateByKey(update).mapValues(lambda state: state[0])
