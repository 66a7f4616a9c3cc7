# Windowed counts, by Cleo


def counts_by_window(pages, window, slide):
    pages.map(lambda page: (page, 1)).reduceByKeyAndWindow(lambda a, b: a + b, None, slide, window).pprint()


def counts_with_inverse(pages, window, slide, checkpoint):
    return pages.map(lambda page: (page, 1)).reduceByKeyAndWindow(lambda a, b: a + b, lambda a, b: b - a, window, slide)


def peak(load, window, slide):
    return max(load)


def counts_in_event_time(views, event_window, event_slide, offset):
    views.groupBy("page").count().writeStream.outputMode("complete").format("console").start().awaitTermination()
