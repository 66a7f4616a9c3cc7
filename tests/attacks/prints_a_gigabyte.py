# attack: prints without end
# checks: double_right, counts_hidden
# outcome: double_right=ERROR



def double(number):
    while True:
        print("x" * 1_000_000)
