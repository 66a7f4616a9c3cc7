# rejected: peak_leaves, peak_values | smallest | the smallest

def peak(load, window, slide):
    return load.reduceByWindow(min, None, window, slide)
