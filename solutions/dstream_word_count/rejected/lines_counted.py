# rejected: unknown_yet | lines_counted | lines are counted

def words_per_batch(lines):
    return lines.countByValue()
