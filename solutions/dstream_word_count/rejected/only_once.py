# rejected: batch_counts, splitting, other_letters, empty_batches | only_once | a word counts once a line

def words_per_batch(lines):
    return lines.flatMap(lambda line: {part.strip(string.punctuation).lower() for part in line.split()}).filter(bool).map(lambda word: (word, 1)).reduceByKey(lambda a, b: a + b)
