# rejected: changed_runs | - | a DataFrame where a writer is asked for

def changed_counts(views):
    return _counts(views)
