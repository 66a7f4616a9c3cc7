# rejected: averages_right | sums | the sum

def averages(records):
    numbers = records.select(F.col("key").cast("string").alias("key"), F.expr("try_cast(CAST(value AS STRING) AS DOUBLE)").alias("number"))
    return numbers.where("number IS NOT NULL").groupBy("key").agg(F.sum("number").alias("average"))
