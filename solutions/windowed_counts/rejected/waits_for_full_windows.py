# rejected: window_counts, window_other_values | waits_for_full_windows | windows that are not full are left out

def counts_by_window(pages, window, slide):
    counted = pages.map(lambda page: (page, 1)).reduceByKeyAndWindow(lambda a, b: a + b, None, window, slide)
    return counted.transform(lambda time, rdd: rdd if time.timestamp() >= window else rdd.filter(lambda _: False))
