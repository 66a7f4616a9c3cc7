# rejected: totals_run | no_checkpoint | no checkpoint folder

def running_totals(lines, expiry, checkpoint):
    streaming = lines.context()

    def update(new, state):
        total, quiet = state or (0, 0)
        quiet = 0 if new else quiet + 1
        return None if quiet >= expiry else (total + sum(new), quiet)

    return words_per_batch(lines).updateStateByKey(update).mapValues(lambda state: state[0])
