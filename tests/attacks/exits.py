# attack: ends its process
# checks: double_right, counts_hidden
# outcome: double_right=ERROR
import os


def double(number):
    os._exit(0)
