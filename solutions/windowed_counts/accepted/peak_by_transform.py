# accepted: window and the RDD's own max

def peak(load, window, slide):
    def largest(rdd):
        return rdd.glom().filter(len).map(max).keyBy(lambda _: 0).reduceByKey(max).values()

    return load.window(window, slide).transform(largest)
