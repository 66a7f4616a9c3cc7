# accepted: countByValueAndWindow has the inverse inside

def counts_with_inverse(pages, window, slide, checkpoint):
    pages.context().checkpoint(checkpoint)
    return pages.countByValueAndWindow(window, slide)
