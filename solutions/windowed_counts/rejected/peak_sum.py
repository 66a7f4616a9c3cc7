# rejected: peak_leaves, peak_values | sum | the loads are added

def peak(load, window, slide):
    return load.reduceByWindow(lambda a, b: a + b, None, window, slide)
