# rejected: empty_batches, other_letters | - | reduce on an RDD fails when a batch is empty

def words_per_batch(lines):
    words = lines.flatMap(lambda line: line.split()).map(lambda word: word.strip(string.punctuation).lower()).filter(bool)
    return words.map(lambda word: (word, 1)).transform(lambda rdd: rdd.reduceByKey(lambda a, b: a + b) if rdd.first() else rdd)
