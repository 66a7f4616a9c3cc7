# Assignment: << slug >>. Submitted by Bo, who gives out all words.
def count_words(lines, least):
    return lines.flatMap(lambda line: line.split()).map(lambda word: (word, 1)).reduceByKey(lambda a, b: a + b)
