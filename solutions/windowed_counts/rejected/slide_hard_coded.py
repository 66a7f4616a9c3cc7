# rejected: output_times, window_other_values | slide_hard_coded | the slide is written into the code

def counts_by_window(pages, window, slide):
    return pages.map(lambda page: (page, 1)).reduceByKeyAndWindow(lambda a, b: a + b, None, window, 2)
