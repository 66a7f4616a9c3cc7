# rejected: window_counts, window_other_values | slide_only | only one slide is counted

def counts_by_window(pages, window, slide):
    return pages.map(lambda page: (page, 1)).reduceByKeyAndWindow(lambda a, b: a + b, None, slide, slide)
