# rejected: window_runs | - | reduceByKeyAndWindow on what is no pair

def counts_by_window(pages, window, slide):
    return pages.reduceByKeyAndWindow(lambda a, b: a + b, None, window, slide)
