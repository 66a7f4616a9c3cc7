# rejected: totals_run_on, quiet_word, expiry, other_expiry | per_batch | no state at all

def running_totals(lines, expiry, checkpoint):
    return words_per_batch(lines)
