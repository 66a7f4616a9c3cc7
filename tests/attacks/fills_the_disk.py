# attack: fills its folder
# checks: double_right
# outcome: double_right=TOO_MUCH_OUTPUT



def double(number):
    for count in range(1000):
        with open(f"file{count}", "wb") as file:
            file.write(bytes(30_000_000))
