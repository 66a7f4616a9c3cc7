# rejected: output_times, window_counts, window_other_values | swapped | window and slide are swapped

def counts_by_window(pages, window, slide):
    return pages.map(lambda page: (page, 1)).reduceByKeyAndWindow(lambda a, b: a + b, None, slide, window)
