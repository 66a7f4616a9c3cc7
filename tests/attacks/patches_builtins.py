# attack: has every comparison in Python's builtins lie
# checks: double_right, counts_hidden
# outcome: double_right=FAILED
import builtins


def double(number):
    builtins.sorted = lambda *_, **__: []
    builtins.all = lambda _: True
    builtins.any = lambda _: True
    return 0
