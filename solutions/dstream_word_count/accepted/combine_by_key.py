# accepted: combineByKey, and mapPartitions for the words

def words_per_batch(lines):
    def words(part):
        for line in part:
            yield from filter(None, (word.strip(string.punctuation).lower() for word in line.split()))

    pairs = lines.mapPartitions(words).map(lambda word: (word, 1))
    return pairs.combineByKey(lambda one: one, lambda total, one: total + one, lambda a, b: a + b)
