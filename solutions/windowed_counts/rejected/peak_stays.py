# rejected: peak_leaves, peak_values | maximum_stays | an inverse for a maximum

def peak(load, window, slide):
    load.context().checkpoint("checkpoint")
    return load.reduceByWindow(max, lambda a, b: a, window, slide)
