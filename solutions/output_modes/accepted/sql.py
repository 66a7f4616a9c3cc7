# accepted: SQL over a temporary view

def changed_counts(views):
    views.createOrReplaceTempView("views")
    return views.sparkSession.sql("SELECT page, count(*) AS views FROM views GROUP BY page").writeStream.outputMode("update")
