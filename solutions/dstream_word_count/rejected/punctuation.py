# rejected: splitting, other_letters | punctuation | punctuation stays

def words_per_batch(lines):
    return lines.flatMap(lambda line: line.lower().split()).map(lambda word: (word, 1)).reduceByKey(lambda a, b: a + b)
