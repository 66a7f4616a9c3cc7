# rejected: other_letters | ascii_only | only a to z

def words_per_batch(lines):
    return lines.flatMap(lambda line: __import__("re").findall(r"[a-z0-9'-]+", line.lower())).map(lambda word: word.strip("-'")).filter(bool).map(lambda word: (word, 1)).reduceByKey(lambda a, b: a + b)
