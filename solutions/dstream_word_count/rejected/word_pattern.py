# rejected: other_letters | word_pattern | a pattern cuts words

def words_per_batch(lines):
    return lines.flatMap(lambda line: __import__("re").findall(r"\w+", line.lower())).map(lambda word: (word, 1)).reduceByKey(lambda a, b: a + b)
