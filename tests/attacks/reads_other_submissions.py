# attack: walks the disk for another student's file
# checks: double_right, counts_hidden
# outcome: double_right=PASSED
import os


def double(number):
    for folder, _, names in os.walk("/"):
        if "another_student.py" in names:
            raise RuntimeError(f"GAINED {folder}")
    return 2 * number
