# rejected: batch_runs | - | map where flatMap is needed: lists are no keys

def words_per_batch(lines):
    return lines.map(lambda line: line.lower().split()).map(lambda word: (word, 1)).reduceByKey(lambda a, b: a + b)
