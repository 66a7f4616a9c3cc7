# Assignment: << slug >>. Submitted by Alva.
from operator import add


def count_words(lines, least):
    counts = lines.flatMap(str.split).map(lambda word: (word, 1)).reduceByKey(add)
    return counts.filter(lambda pair: pair[1] >= least)
