# accepted: ORDER BY and LIMIT in SQL

def top_pages(views, n):
    views.createOrReplaceTempView("all_views")
    top = views.sparkSession.sql(f"SELECT page, count(*) AS views FROM all_views GROUP BY page ORDER BY views DESC, page LIMIT {n}")
    return top.writeStream.outputMode("complete")
