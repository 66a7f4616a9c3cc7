# attack: takes memory in files that stand in no folder and in no process
# checks: double_right
# outcome: double_right=ERROR
import os


def double(number):
    while True:
        os.write(os.memfd_create("kept"), bytes(60_000_000))
