# attack: closes every descriptor
# checks: double_right, counts_hidden
# outcome: double_right=ERROR
import os


def double(number):
    os.closerange(0, 200)
    return 2 * number
