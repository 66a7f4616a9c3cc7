# rejected: right, often | lines_counted | whole lines are counted

def count_words(lines, least):
    return lines.map(lambda line: (line, 1)).reduceByKey(lambda a, b: a + b).filter(lambda pair: pair[1] >= least)
