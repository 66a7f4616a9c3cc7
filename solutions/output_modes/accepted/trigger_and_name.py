# accepted: a trigger and a query name of one's own

def all_counts(views):
    counted = views.groupBy("page").count().withColumnRenamed("count", "views")
    return counted.writeStream.queryName("all_counts").trigger(processingTime="0 seconds").outputMode("complete")
