# rejected: edges | length_hard_coded | the length is written into the code

def window_start(at, length):
    return at // 10 * 10
