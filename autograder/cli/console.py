"""What the verbs print: examples of their help, progress, and colours where a terminal shows them."""

from __future__ import annotations

import os
import shutil
import sys

import click

#: What takes a drawn line away.
_CLEAR = "\r\x1b[K"


def examples(*lines: str) -> str:
    """The end of a verb's help."""
    return "\b\nExamples:\n" + "\n".join(f"  autograder {line}" for line in lines)


def colored(stream: object) -> bool:
    """Whether a stream is a terminal that wants colours."""
    return drawn_on(stream) and not os.environ.get("NO_COLOR")


def echo(text: str, err: bool = False) -> None:
    """Print in whatever encoding there is. A line of progress that is drawn gives way to it."""
    stream = sys.stderr if err else sys.stdout
    encoding = stream.encoding or "utf-8"
    gone = _CLEAR if err and drawn_on(stream) else ""
    click.echo(gone + text.encode(encoding, "replace").decode(encoding), color=drawn_on(stream), err=err)


def say(text: str, err: bool = False) -> None:
    """Print what may have names of files in it: control characters are shown, not sent to the terminal."""
    from autograder.reports.terminal import shown

    echo(shown(text), err)


def say_progress(text: str, done: int, of: int) -> None:
    """Progress on standard error: one line that is drawn again, and is gone at the end.

    Where there is no terminal to draw on nothing is told but what is no count: that a cache is prepared, that something is skipped.
    """
    from autograder.reports.terminal import shown

    if not of:
        say(text, err=True)
    elif drawn_on(sys.stderr):
        width = shutil.get_terminal_size().columns - 1
        line = shown(f"[{done}/{of}] {text}")[:width] if done < of else ""
        click.echo(_CLEAR + line, color=True, err=True, nl=False)


def drawn_on(stream: object) -> bool:
    """Whether a stream is a terminal on which a line can be drawn again."""
    return bool(getattr(stream, "isatty", lambda: False)()) and os.environ.get("TERM") != "dumb"
