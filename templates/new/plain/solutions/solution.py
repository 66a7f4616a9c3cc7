"""<< slug >>: tumbling windows by hand."""


def window_start(at: int, length: int) -> int:
    """The start of the tumbling window in which ``at`` lies, all in seconds since the epoch."""
    ### BEGIN SOLUTION
    return at - at % length
    ### END SOLUTION
