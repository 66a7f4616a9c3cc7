# accepted: the mode in capitals, a sum of ones

def all_counts(views):
    ones = views.select("page", F.lit(1).alias("one"))
    return ones.groupBy(ones.page).agg(F.sum("one").alias("views")).writeStream.outputMode("Complete")
