# rejected: top_order, top_n | ascending | sorted upwards

def top_pages(views, n):
    return _counts(views).orderBy("views", "page").limit(n).writeStream.outputMode("complete")
