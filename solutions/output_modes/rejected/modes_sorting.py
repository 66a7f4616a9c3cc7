# rejected: modes_why | sorting_in_update | sorting is thought to work in update

_right = allowed_modes


def allowed_modes(query):
    modes = dict(_right(query))
    if query == "top_pages":
        modes["update"] = "ok"
    return modes
