# rejected: averages_right | whole_numbers | values are cast to whole numbers

def averages(records):
    numbers = records.select(F.col("key").cast("string").alias("key"), F.expr("try_cast(CAST(value AS STRING) AS INT)").alias("number"))
    return numbers.where("number IS NOT NULL").groupBy("key").agg(F.avg("number").alias("average"))
