# accepted: the inverse by operator, zeros filtered behind it

import operator


def counts_with_inverse(pages, window, slide, checkpoint):
    pages.context().checkpoint(checkpoint)
    counted = pages.map(lambda page: (page, 1)).reduceByKeyAndWindow(operator.add, operator.sub, window, slide)
    return counted.filter(lambda pair: pair[1] != 0)
