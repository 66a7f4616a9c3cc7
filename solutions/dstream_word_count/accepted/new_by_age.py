# accepted: state is the age in batches

def new_words(lines, checkpoint):
    lines.context().checkpoint(checkpoint)

    def older(counts, state):
        age, first = state or (0, sum(counts))
        return (age + 1, first)

    aged = words_per_batch(lines).updateStateByKey(older)
    return aged.filter(lambda pair: pair[1][0] == 1).map(lambda pair: (pair[0], pair[1][1]))
