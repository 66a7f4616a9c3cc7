# rejected: inverse_counts, inverse_hidden, pages_leave | zeros_stay | no filterFunc

def counts_with_inverse(pages, window, slide, checkpoint):
    pages.context().checkpoint(checkpoint)
    ones = pages.map(lambda page: (page, 1))
    return ones.reduceByKeyAndWindow(lambda a, b: a + b, lambda a, b: a - b, window, slide, filterFunc=None)
