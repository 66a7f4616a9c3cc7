# rejected: inverse_counts, inverse_hidden, pages_leave | adds_what_leaves | the inverse adds

def counts_with_inverse(pages, window, slide, checkpoint):
    pages.context().checkpoint(checkpoint)
    ones = pages.map(lambda page: (page, 1))
    return ones.reduceByKeyAndWindow(lambda a, b: a + b, lambda a, b: a + b, window, slide, filterFunc=lambda pair: pair[1] > 0)
