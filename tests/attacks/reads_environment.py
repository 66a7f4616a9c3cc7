# attack: reads every environment that it can
# checks: double_right, counts_hidden
# outcome: double_right=PASSED
import os


def double(number):
    found = str(dict(os.environ))
    for name in filter(str.isdigit, os.listdir("/proc")):
        try:
            found += open(f"/proc/{name}/environ").read()
        except OSError:
            continue
    if "course-secret" in found:
        raise RuntimeError("GAINED the secret")
    return 2 * number
