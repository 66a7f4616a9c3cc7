# rejected: changed_only, changed_hidden | users_counted | users are counted, not views

def changed_counts(views):
    return views.groupBy("page").agg(F.approx_count_distinct("user").alias("views")).writeStream.outputMode("update")
