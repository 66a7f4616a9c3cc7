# accepted: words grouped, then counted

def count_words(lines, least):
    words = lines.transform(lambda batch: batch.flatMap(str.split).map(lambda word: (word, 1)))
    return words.groupByKey().mapValues(len).filter(lambda pair: pair[1] >= least)
