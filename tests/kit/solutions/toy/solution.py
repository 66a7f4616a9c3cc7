"""The toy's solution."""

from pyspark.sql import functions as F


def counts(views, least):
    """Views of every page that has at least so many."""
    ### BEGIN SOLUTION
    return views.groupBy("page").agg(F.count("*").alias("views")).where(F.col("views") >= least)
    ### END SOLUTION


def words(lines):
    """How often each line came in its batch."""
    ### BEGIN SOLUTION
    return lines.map(lambda line: (line, 1)).reduceByKey(lambda a, b: a + b)
    ### END SOLUTION


def double(number):
    """Twice the number."""
    ### BEGIN SOLUTION
    return 2 * number
    ### END SOLUTION
