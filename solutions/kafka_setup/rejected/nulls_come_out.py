# rejected: many_keys, unparsable | nulls_come_out | keys without a number come out

def averages(records):
    numbers = records.select(F.col("key").cast("string").alias("key"), F.expr("try_cast(CAST(value AS STRING) AS DOUBLE)").alias("number"))
    return numbers.groupBy("key").agg(F.avg("number").alias("average"))
