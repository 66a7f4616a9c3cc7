# rejected: output_times, window_counts, window_other_values | slide_only | no window at all

def counts_by_window(pages, window, slide):
    return pages.countByValue()
