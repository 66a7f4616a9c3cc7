# rejected: top_order | - | sorts the pages of each partition by themselves: right only where there is one partition
def top_pages(views, n):
    counted = _counts(views)
    return counted.sortWithinPartitions(F.desc("views"), "page").limit(n).writeStream.outputMode("complete")
