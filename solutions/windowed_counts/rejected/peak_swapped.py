# rejected: peak_times, peak_leaves, peak_values | swapped | window and slide are swapped

def peak(load, window, slide):
    return load.reduceByWindow(max, None, slide, window)
