# accepted: transform, with RDD operators and operator.add

from operator import add


def words_per_batch(lines):
    def count(rdd):
        words = rdd.flatMap(lambda line: [part.strip(string.punctuation).lower() for part in line.split()])
        return words.filter(len).keyBy(lambda word: word).mapValues(lambda _: 1).reduceByKey(add)

    return lines.transform(count)
