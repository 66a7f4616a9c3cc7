# rejected: top_order, top_n | not_cut | no limit

def top_pages(views, n):
    return _counts(views).orderBy(F.desc("views"), "page").writeStream.outputMode("complete")
