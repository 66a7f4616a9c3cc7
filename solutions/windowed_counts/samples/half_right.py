# Windowed counts, by Bo: forgot the filter, took a maximum with an inverse, and no offset
from pyspark.sql import functions as F


def counts_by_window(pages, window, slide):
    return pages.map(lambda page: (page, 1)).reduceByKeyAndWindow(lambda a, b: a + b, None, window, slide)


def counts_with_inverse(pages, window, slide, checkpoint):
    pages.context().checkpoint(checkpoint)
    return pages.map(lambda page: (page, 1)).reduceByKeyAndWindow(lambda a, b: a + b, lambda a, b: a - b, window, slide)


def peak(load, window, slide):
    load.context().checkpoint("peaks")
    return load.reduceByWindow(max, lambda a, b: a, window, slide)


def counts_in_event_time(views, event_window, event_slide, offset):
    counted = views.groupBy(F.window("at", event_window, event_slide), "page").agg(F.count("*").alias("views"))
    return counted.select(F.col("window.start").alias("window_start"), F.col("window.end").alias("window_end"), "page", "views")
