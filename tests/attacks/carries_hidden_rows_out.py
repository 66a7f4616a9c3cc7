# attack: raises, prints and names hidden rows
# checks: counts_runs, counts_right, counts_hidden, double_right
# outcome: counts_runs=PASSED, counts_right=PASSED, counts_hidden=ERROR
from pyspark.sql import functions as F


def counts(views, least):
    @F.udf("string")
    def spy(page):
        if page.startswith("zanzi"):
            print(page)
            raise type(page, (Exception,), {})(page)
        return page


    views = views.withColumn("page", spy("page"))
    return views.groupBy("page").agg(F.count("*").alias("views")).where(F.col("views") >= least)
