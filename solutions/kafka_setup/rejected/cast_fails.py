# rejected: many_keys, unparsable | cast_fails | a cast that fails

def averages(records):
    numbers = records.select(F.col("key").cast("string").alias("key"), F.expr("cast(CAST(value AS STRING) AS DOUBLE)").alias("number"))
    return numbers.where("number IS NOT NULL").groupBy("key").agg(F.avg("number").alias("average"))
