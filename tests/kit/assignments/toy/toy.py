"""The toy's solution."""



def counts(views, least):
    """Views of every page that has at least so many."""
    # TODO: your code, in place of the next line
    raise NotImplementedError("write this function")


def words(lines):
    """How often each line came in its batch."""
    # TODO: your code, in place of the next line
    raise NotImplementedError("write this function")


def double(number):
    """Twice the number."""
    # TODO: your code, in place of the next line
    raise NotImplementedError("write this function")
