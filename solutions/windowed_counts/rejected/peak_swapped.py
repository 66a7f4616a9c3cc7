# rejected: unknown_yet | swapped | window and slide are swapped

def peak(load, window, slide):
    return load.reduceByWindow(max, None, slide, window)
