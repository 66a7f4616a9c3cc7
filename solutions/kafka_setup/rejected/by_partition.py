# rejected: many_keys | - | an average for each partition of a key

def averages(records):
    numbers = records.select(F.col("key").cast("string").alias("key"), "partition", F.expr("try_cast(CAST(value AS STRING) AS DOUBLE)").alias("number"))
    return numbers.where("number IS NOT NULL").groupBy("key", "partition").agg(F.avg("number").alias("average")).drop("partition")
