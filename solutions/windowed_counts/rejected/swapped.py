# rejected: unknown_yet | swapped | window and slide are swapped

def counts_by_window(pages, window, slide):
    return pages.map(lambda page: (page, 1)).reduceByKeyAndWindow(lambda a, b: a + b, None, slide, window)
