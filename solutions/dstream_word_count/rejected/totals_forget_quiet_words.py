# rejected: totals_run_on, quiet_word, expiry, other_expiry | quiet_is_forgotten | a quiet word is forgotten at once

def running_totals(lines, expiry, checkpoint):
    lines.context().checkpoint(checkpoint)

    def update(new, state):
        return (state or 0) + sum(new) if new else None

    return words_per_batch(lines).updateStateByKey(update).mapValues(lambda total: total)
