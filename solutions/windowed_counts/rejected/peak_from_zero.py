# rejected: peak_leaves, peak_values | from_zero | an empty window gives 0

def peak(load, window, slide):
    return load.window(window, slide).transform(lambda rdd: rdd.context.parallelize([rdd.fold(0, max)], 1))
