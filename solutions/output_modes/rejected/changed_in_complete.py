# rejected: changed_only, changed_hidden | complete_for_update | complete where update is asked for

def changed_counts(views):
    return _counts(views).writeStream.outputMode("complete")
