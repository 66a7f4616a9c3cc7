# rejected: new_only, comes_back | all_words | all words of the batch

def new_words(lines, checkpoint):
    return words_per_batch(lines)
