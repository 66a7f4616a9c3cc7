# attack: opens files without end
# checks: double_right, counts_hidden
# outcome: double_right=TOO_MANY_FILES


def double(number):
    kept = []
    while True:
        kept.append(open("/dev/null"))
