# rejected: peak_runs | - | pairs where single values are asked for

def peak(load, window, slide):
    return load.map(lambda x: (x, 1)).reduceByKeyAndWindow(max, None, window, slide)
