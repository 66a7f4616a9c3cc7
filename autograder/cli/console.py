"""What the verbs print: examples of their help, progress, and colours where a terminal shows them."""

from __future__ import annotations

import os
import sys

import click


def examples(*lines: str) -> str:
    """The end of a verb's help."""
    return "\b\nExamples:\n" + "\n".join(f"  autograder {line}" for line in lines)


def colored(stream: object) -> bool:
    """Whether a stream is a terminal that wants colours."""
    return bool(getattr(stream, "isatty", lambda: False)()) and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def echo(text: str, err: bool = False) -> None:
    """Print in whatever encoding there is."""
    stream = sys.stderr if err else sys.stdout
    encoding = stream.encoding or "utf-8"
    click.echo(text.encode(encoding, "replace").decode(encoding), color=colored(stream), err=err)


def say(text: str, err: bool = False) -> None:
    """Print what may have names of files in it: control characters are shown, not sent to the terminal."""
    from autograder.reports.terminal import shown

    echo(shown(text), err)


def say_progress(text: str, done: int, of: int) -> None:
    """Progress on standard error: one line that changes on a terminal, a line each elsewhere."""
    from autograder.reports.terminal import shown

    line = shown(f"[{done}/{of}] {text}" if of else text)
    if not colored(sys.stderr):
        echo(line, err=True)
        return
    end = "\n" if done == of or not of else ""
    click.echo(f"\r\x1b[K{line[:100]}{end}", err=True, nl=False)
