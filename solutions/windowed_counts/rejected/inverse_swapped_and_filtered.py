# rejected: inverse_counts, inverse_hidden, pages_leave | inverse_swapped_and_filtered | the inverse is the wrong way round, and a filter hides it

def counts_with_inverse(pages, window, slide, checkpoint):
    pages.context().checkpoint(checkpoint)
    ones = pages.map(lambda page: (page, 1))
    return ones.reduceByKeyAndWindow(lambda a, b: a + b, lambda a, b: b - a, window, slide, filterFunc=lambda pair: pair[1] > 0)
