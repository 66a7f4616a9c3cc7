# accepted: countByValue on the words

def words_per_batch(lines):
    words = lines.flatMap(str.split).map(lambda word: word.lower().strip(string.punctuation)).filter(bool)
    return words.countByValue()
