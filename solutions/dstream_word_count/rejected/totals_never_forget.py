# rejected: expiry, other_expiry | never_forgotten | no expiry

def running_totals(lines, expiry, checkpoint):
    lines.context().checkpoint(checkpoint)

    def update(new, state):
        return (state or 0) + sum(new)

    return words_per_batch(lines).updateStateByKey(update).mapValues(lambda total: total)
