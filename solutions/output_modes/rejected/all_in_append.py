# rejected: all_runs | append_without_watermark | append without a watermark

def all_counts(views):
    return _counts(views).writeStream.outputMode("append")
