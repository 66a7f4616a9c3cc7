"""Keeps the folder of confined brokers. ``python -m autograder.broker.keeper FOLDER DESCRIPTORS COMMAND …``.

It makes the folder and says so (``ready``), starts the command, and removes the folder when that has ended. The command inherits
standard input and output and the descriptors (their numbers, joined by commas): it is the guard in its sandbox, which ends when the
owner of its input is gone. From inside a sandbox nobody could remove a folder that is mounted there.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path


def main(argv: list[str]) -> int:
    """Keep the folder for as long as the command runs."""
    folder, descriptors = Path(argv[0]), [int(number) for number in argv[1].split(",")]
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    folder.mkdir(mode=0o700)
    try:
        os.write(1, b"ready\n")
        sandbox = subprocess.Popen(argv[2:], pass_fds=descriptors, env={})
        for number in descriptors:  # else a port would still be open when its broker is gone
            os.close(number)
        sandbox.wait()
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
