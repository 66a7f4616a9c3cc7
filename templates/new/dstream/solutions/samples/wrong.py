# Assignment: << slug >>. Submitted by Cleo, who took the stream for a list.
def count_words(lines, least):
    words = [word for line in lines for word in line.split()]
    return [(word, words.count(word)) for word in set(words) if words.count(word) >= least]
