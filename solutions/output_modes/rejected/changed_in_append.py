# rejected: changed_runs | append_without_watermark | the default mode with an aggregation

def changed_counts(views):
    return _counts(views).writeStream
