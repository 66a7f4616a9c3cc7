# rejected: top_runs | sorted_in_this_mode | sorted in update mode

def top_pages(views, n):
    return _counts(views).orderBy(F.desc("views"), "page").limit(n).writeStream.outputMode("update")
