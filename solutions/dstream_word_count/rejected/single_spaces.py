# rejected: other_letters, splitting | single_spaces | split at single spaces

def words_per_batch(lines):
    return lines.flatMap(lambda line: line.split(" ")).map(lambda word: word.strip(string.punctuation).lower()).map(lambda word: (word, 1)).reduceByKey(lambda a, b: a + b)
