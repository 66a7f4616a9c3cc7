# rejected: all_pages | update_for_complete | update where complete is asked for

def all_counts(views):
    return _counts(views).writeStream.outputMode("update")
