# accepted: state over the ones themselves, as a dictionary

def running_totals(lines, expiry, checkpoint):
    context = lines.context()
    context.checkpoint(checkpoint)

    def update(ones, state):
        state = dict(state or {"total": 0, "quiet": 0})
        state["quiet"] = 0 if ones else state["quiet"] + 1
        state["total"] += len(ones)
        return state if state["quiet"] < expiry else None

    return _words(lines).map(lambda word: (word, 1)).updateStateByKey(update).map(lambda pair: (pair[0], pair[1]["total"]))
