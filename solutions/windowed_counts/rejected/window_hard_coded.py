# rejected: window_other_values | window_hard_coded | the window is written into the code

def counts_by_window(pages, window, slide):
    return pages.map(lambda page: (page, 1)).reduceByKeyAndWindow(lambda a, b: a + b, None, 10, slide)
