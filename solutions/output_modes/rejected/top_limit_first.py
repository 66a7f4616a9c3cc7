# rejected: top_order, top_n | - | limit on the stream before it is counted

def top_pages(views, n):
    return _counts(views.limit(n)).orderBy(F.desc("views"), "page").writeStream.outputMode("complete")
