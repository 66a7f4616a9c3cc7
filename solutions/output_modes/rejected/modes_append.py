# rejected: modes_known | append_after_a_count | append is thought to work for counts

_right = allowed_modes


def allowed_modes(query):
    modes = dict(_right(query))
    if modes["append"] == "needs_watermark":
        modes["append"] = "ok"
    return modes
