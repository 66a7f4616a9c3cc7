# accepted: window, then reduce

def peak(load, window, slide):
    return load.window(window, slide).reduce(lambda a, b: a if a > b else b)
