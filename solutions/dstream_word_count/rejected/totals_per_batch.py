# rejected: unknown_yet | per_batch | no state at all

def running_totals(lines, expiry, checkpoint):
    return words_per_batch(lines)
