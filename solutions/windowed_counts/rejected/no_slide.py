# rejected: output_times, window_counts | no_slide | the slide is left out

def counts_by_window(pages, window, slide):
    return pages.map(lambda page: (page, 1)).reduceByKeyAndWindow(lambda a, b: a + b, None, window)
