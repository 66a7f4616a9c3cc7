# rejected: top_n, top_order | n_hard_coded | the number is written into the code

def top_pages(views, n):
    return _counts(views).orderBy(F.desc("views"), "page").limit(3).writeStream.outputMode("complete")
