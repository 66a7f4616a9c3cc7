# attack: opens the outputs and the memory of the processes above it, where the grader prints and other students' lines may stand
# checks: double_right, counts_hidden
# outcome: double_right=PASSED
import os

honest = double  # noqa: F821


def double(number):
    for pid in (os.getppid(), 1, 2, 3):
        for name in ("fd/1", "fd/2", "mem"):
            path = f"/proc/{pid}/{name}"
            try:
                opened = os.open(path, os.O_RDWR)
                place = os.readlink(path)
            except OSError:
                continue
            os.close(opened)
            inside = os.path.exists(place)  # Spark's log, say: it is in the folder that is the submission's anyway
            if not inside and not (pid != os.getppid() and name == "mem"):
                raise RuntimeError(f"GAINED {path} {place}")
    return honest(number)
