# Windowed counts, by Alva
from pyspark.sql.functions import col, count, window


def counts_by_window(pages, window, slide):
    return pages.window(window, slide).map(lambda page: (page, 1)).reduceByKey(lambda x, y: x + y)


def counts_with_inverse(pages, window, slide, checkpoint):
    pages.context().checkpoint(checkpoint)
    pairs = pages.map(lambda page: (page, 1))
    return pairs.reduceByKeyAndWindow(lambda x, y: x + y, lambda x, y: x - y, window, slide, None, lambda pair: pair[1] > 0)


def peak(load, window, slide):
    return load.reduceByWindow(lambda x, y: max(x, y), None, window, slide)


def counts_in_event_time(views, event_window, event_slide, offset):
    by_window = views.groupBy(window(col("at"), event_window, event_slide, offset).alias("w"), "page").agg(count("*").alias("views"))
    return by_window.select(col("w.start").alias("window_start"), col("w.end").alias("window_end"), "page", "views")
