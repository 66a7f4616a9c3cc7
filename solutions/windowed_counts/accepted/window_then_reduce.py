# accepted: window() first, then reduceByKey

def counts_by_window(pages, window, slide):
    return pages.window(window, slide).map(lambda page: (page, 1)).reduceByKey(lambda a, b: a + b)
