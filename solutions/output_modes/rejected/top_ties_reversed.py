# rejected: top_order, top_n | ties_reversed | equal pages in reverse

def top_pages(views, n):
    return _counts(views).orderBy(F.desc("views"), F.desc("page")).limit(n).writeStream.outputMode("complete")
