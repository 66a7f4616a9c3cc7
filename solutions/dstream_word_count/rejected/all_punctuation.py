# rejected: other_letters | all_punctuation | punctuation is taken out of words too

def words_per_batch(lines):
    return lines.flatMap(lambda line: line.lower().translate(str.maketrans("", "", string.punctuation)).split()).map(lambda word: (word, 1)).reduceByKey(lambda a, b: a + b)
