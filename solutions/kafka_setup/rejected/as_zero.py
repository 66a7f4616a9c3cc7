# rejected: many_keys, unparsable | as_zero | what is no number counts as 0

def averages(records):
    numbers = records.select(F.col("key").cast("string").alias("key"), F.expr("coalesce(try_cast(CAST(value AS STRING) AS DOUBLE), 0D)").alias("number"))
    return numbers.where("number IS NOT NULL").groupBy("key").agg(F.avg("number").alias("average"))
