# attack: asks for rights that it has not
# checks: double_right, counts_hidden
# outcome: double_right=PASSED
import os
import subprocess


def double(number):
    for ask in (lambda: os.setuid(0), lambda: os.chroot("/"), lambda: os.mknod("device", 0o60666, os.makedev(8, 0))):
        try:
            ask()
        except OSError:
            continue
        raise RuntimeError("GAINED rights")
    for command in (["mount", "-t", "tmpfs", "none", "/scratch"], ["unshare", "-rm", "mount", "-t", "tmpfs", "none", "/scratch"]):
        try:
            done = subprocess.run(command, capture_output=True, check=False)
        except OSError:
            continue
        if done.returncode == 0:
            raise RuntimeError(f"GAINED {command}")
    return 2 * number
