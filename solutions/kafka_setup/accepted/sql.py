# accepted: the average in SQL

def averages(records):
    records.createOrReplaceTempView("records")
    return records.sparkSession.sql("""
        SELECT CAST(key AS STRING) AS key, avg(number) AS average
        FROM (SELECT key, try_cast(CAST(value AS STRING) AS DOUBLE) AS number FROM records)
        WHERE number IS NOT NULL GROUP BY 1
    """)
