# rejected: top_order, top_n | by_name | sorted by name

def top_pages(views, n):
    return _counts(views).orderBy("page").limit(n).writeStream.outputMode("complete")
