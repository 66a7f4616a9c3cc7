# rejected: peak_times, peak_leaves | no_slide | an output every second

def peak(load, window, slide):
    return load.window(window).reduce(max)
