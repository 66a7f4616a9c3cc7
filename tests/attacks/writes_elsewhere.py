# attack: writes wherever it is not its own folder
# checks: double_right, counts_hidden
# outcome: double_right=PASSED
import os
import sys

import autograder


def double(number):
    places = ["/", "/usr", "/etc", "/dev", "/bin", "/home", "/root", "/var", sys.prefix, os.path.dirname(autograder.__file__)]
    for place in places:
        try:
            with open(os.path.join(place, "score.json"), "w") as file:
                file.write('{"points": 9}')
        except OSError:
            continue
        raise RuntimeError(f"GAINED {place}")
    return 2 * number
