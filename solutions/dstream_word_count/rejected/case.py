# rejected: splitting, other_letters | case | capitals stay

def words_per_batch(lines):
    return lines.flatMap(lambda line: line.split()).map(lambda word: word.strip(string.punctuation)).filter(bool).map(lambda word: (word, 1)).reduceByKey(lambda a, b: a + b)
