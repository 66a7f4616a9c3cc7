# accepted: the sum over the count

def averages(records):
    number = F.expr("try_cast(string(value) AS DOUBLE)")
    kept = records.select(F.col("key").cast("string").alias("key"), number.alias("n")).filter(F.col("n").isNotNull())
    return kept.groupBy("key").agg((F.sum("n") / F.count("n")).alias("average"))
