# rejected: unknown_yet | no_slide | the slide is left out

def counts_by_window(pages, window, slide):
    return pages.map(lambda page: (page, 1)).reduceByKeyAndWindow(lambda a, b: a + b, None, window)
