# rejected: runs | - | the counts are printed, not returned

def count_words(lines, least):
    lines.flatMap(str.split).countByValue().pprint()
