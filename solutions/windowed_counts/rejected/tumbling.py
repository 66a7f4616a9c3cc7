# rejected: output_times, window_counts, window_other_values | tumbling | the windows tumble

def counts_by_window(pages, window, slide):
    return pages.map(lambda page: (page, 1)).reduceByKeyAndWindow(lambda a, b: a + b, None, window, window)
