# accepted: countByValue over a window

def counts_by_window(pages, window, slide):
    return pages.window(windowDuration=window, slideDuration=slide).countByValue()
