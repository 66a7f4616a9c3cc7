# attack: has json write what it likes
# checks: double_right, counts_hidden
# outcome: double_right=ERROR
import json


def double(number):
    json.dumps = lambda *_, **__: '{"points": 9}'
    return 0
