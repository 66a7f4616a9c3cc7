# rejected: modes_why | any_watermark_will_do | any watermark is thought to do

_right = allowed_modes


def allowed_modes(query):
    modes = dict(_right(query))
    if query == "count_with_watermark_elsewhere":
        modes["append"] = "ok"
    return modes
