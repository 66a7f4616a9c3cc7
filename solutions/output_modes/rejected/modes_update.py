# rejected: modes_known | update_without_aggregation | update is thought to need an aggregation

_right = allowed_modes


def allowed_modes(query):
    modes = dict(_right(query))
    if query in {"filter", "distinct"}:
        modes["update"] = "no_aggregation"
    return modes
