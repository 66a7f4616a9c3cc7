# rejected: changed_only, changed_hidden | - | counted batch by batch, in a variable that a restart loses

def changed_counts(views):
    return views.selectExpr("page", "1L AS views").writeStream.outputMode("append")
