# attack: gives an answer of 100 megabytes
# checks: double_right, counts_hidden
# outcome: double_right=TOO_MUCH_OUTPUT



def double(number):
    return "x" * 100_000_000
