# rejected: inverse_runs | no_checkpoint | no checkpoint folder

def counts_with_inverse(pages, window, slide, checkpoint):
    ones = None
    ones = pages.map(lambda page: (page, 1))
    return ones.reduceByKeyAndWindow(lambda a, b: a + b, lambda a, b: a - b, window, slide, filterFunc=lambda pair: pair[1] > 0)
