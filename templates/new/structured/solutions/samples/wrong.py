# Assignment: << slug >>. Submitted by Cleo, who wrote a batch program.
from pyspark.sql import functions as F


def count_by_window(events, window, delay):
    counts = events.groupBy(F.window("at", window), "kind").count()
    counts.show()
    return counts
