# rejected: unknown_yet | - | no window at all

def counts_by_window(pages, window, slide):
    return pages.countByValue()
