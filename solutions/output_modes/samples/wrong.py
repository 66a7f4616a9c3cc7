# Output modes, by Cleo: everything in append mode, and started at once


def changed_counts(views):
    return views.groupBy("page").count().writeStream.outputMode("append")


def all_counts(views):
    return views.groupBy("page").count().writeStream.format("console").start()


def final_counts(views, window, delay):
    return views.groupBy("page").count()


def top_pages(views, n):
    return views.limit(n).orderBy("page").writeStream


def upsert_counts(views, store):
    views.toPandas().to_sql("page_views", store)
