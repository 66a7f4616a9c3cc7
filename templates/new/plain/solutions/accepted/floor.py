# accepted: whole windows before it, counted with floor

def window_start(at, length):
    import math

    return math.floor(at / length) * length
