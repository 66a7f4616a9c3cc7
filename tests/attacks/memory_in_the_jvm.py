# attack: takes memory in Spark's JVM
# checks: counts_runs, counts_right, counts_hidden, double_right
# outcome: counts_runs=OUT_OF_MEMORY, counts_right=SKIPPED, counts_hidden=SKIPPED
from pyspark.sql import functions as F


def counts(views, least):
    kept = views.sparkSession._jvm.java.util.ArrayList()
    while True:
        kept.add(views.sparkSession._jvm.java.nio.ByteBuffer.allocate(50_000_000))
    return views.groupBy("page").agg(F.count("*").alias("views")).where(F.col("views") >= least)
