# attack: changes the JVM's properties, time zone and settings for whatever comes after it
# checks: counts_runs, counts_right, counts_hidden, double_right
# outcome: counts_runs=PASSED
from pyspark.sql import functions as F


def counts(views, least):
    jvm = views.sparkSession._jvm
    jvm.java.util.TimeZone.setDefault(jvm.java.util.TimeZone.getTimeZone("Asia/Tokyo"))
    jvm.System.setProperty("spark.sql.shuffle.partitions", "7")
    views.sparkSession.conf.set("spark.sql.session.timeZone", "Asia/Tokyo")
    return views.groupBy("page").agg(F.count("*").alias("views")).where(F.col("views") >= least)
