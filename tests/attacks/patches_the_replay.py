# attack: has the replay's own code give the answer 42
# checks: double_right, counts_hidden
# outcome: double_right=FAILED
from autograder.untrusted import structured


def double(number):
    structured.plain = lambda _: 42
    return 0
