# accepted: groupByKey and len, named functions

def _tidy(line):
    tidied = (part.strip(string.punctuation) for part in line.lower().split())
    return [word for word in tidied if word]


def words_per_batch(lines):
    return lines.flatMap(_tidy).map(lambda word: (word, None)).groupByKey().mapValues(len)
