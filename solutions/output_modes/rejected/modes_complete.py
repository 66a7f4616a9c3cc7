# rejected: modes_known | complete_keeps_everything | complete is thought to work for all

_right = allowed_modes


def allowed_modes(query):
    modes = dict(_right(query))
    modes["complete"] = "ok"
    return modes
