# rejected: batch_counts, splitting, other_letters, empty_batches | lines_counted | lines are counted

def words_per_batch(lines):
    return lines.countByValue()
