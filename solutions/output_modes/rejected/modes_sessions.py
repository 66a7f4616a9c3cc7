# rejected: modes_why | sessions_update | sessions are thought to work in update

_right = allowed_modes


def allowed_modes(query):
    modes = dict(_right(query))
    if query == "session_with_watermark":
        modes["update"] = "ok"
    return modes
