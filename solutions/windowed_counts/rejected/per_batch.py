# rejected: output_times, window_counts, window_other_values | no_window | no window at all

def counts_by_window(pages, window, slide):
    return pages.countByValue()
