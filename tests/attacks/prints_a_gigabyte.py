# attack: prints without end
# checks: double_right, counts_hidden
# outcome: double_right=TOO_MUCH_OUTPUT



def double(number):
    while True:
        print("x" * 1_000_000)
