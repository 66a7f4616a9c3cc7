# rejected: unknown_yet | smallest | the smallest

def peak(load, window, slide):
    return load.reduceByWindow(min, None, window, slide)
