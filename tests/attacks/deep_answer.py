# attack: gives an answer nested a hundred thousand times
# checks: double_right, counts_hidden
# outcome: double_right=ERROR



def double(number):
    found = []
    for _ in range(100_000):
        found = [found]
    return found
