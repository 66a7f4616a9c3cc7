"""The verbs of ``autograder kafka``: a real Kafka that stays, for working by hand."""

from __future__ import annotations

import os
import subprocess

import click

from autograder.cli.console import examples, say_progress
from autograder.model import KitError


@click.group(epilog=examples("kafka up", "kafka shell", "kafka down"))
def kafka() -> None:
    """Run Apache Kafka on this machine.

    It is fetched once into your cache. No root and no Docker are needed.
    """


@kafka.command(epilog=examples("kafka up", "kafka up --brokers 3", "kafka up --port 19092"))
@click.option("--brokers", default=1, type=click.IntRange(1, 5), help="How many brokers.", show_default=True)
@click.option("--port", default=9092, type=click.IntRange(1024, 65_000), help="The first broker's port; more take the next ones.")
def up(brokers: int, port: int) -> None:
    """Start brokers that stay.

    Topics are kept from one time to the next, until `autograder kafka clean`.
    """
    from autograder.broker import background
    from autograder.machine.java import find_java

    found = background.up(find_java(), brokers, port, say_progress)
    click.echo(
        f"Kafka runs on {found.bootstrap}\n"
        "Console tools:  autograder kafka shell\n"
        "Logs:           autograder kafka logs\n"
        "To end it:      autograder kafka down"
    )


@kafka.command(epilog=examples("kafka status"))
def status() -> None:
    """Say whether it runs, where, and which topics it has."""
    from autograder.broker import background

    found = background.running()
    if found is None and background.starting():
        click.echo("Kafka is being started.")
        return
    if found is None:
        click.echo("No broker of the kit runs. Start one: autograder kafka up")
        return
    click.echo(f"Kafka runs on {found.bootstrap} (process {found.pid}).")
    topics = background.topics(found)
    click.echo("\n".join(f"  {name}: {partitions} partitions" for name, partitions in topics.items()) or "  No topics yet.")


@kafka.command(epilog=examples("kafka down"))
def down() -> None:
    """End the brokers that stay; topics are kept."""
    from autograder.broker import background

    found = background.down()
    click.echo("Kafka has ended; its topics are kept." if found else "No broker of the kit runs, so there is nothing to end.")


@kafka.command(epilog=examples("kafka logs", "kafka logs -n 200"))
@click.option("--lines", "-n", default=20, type=click.IntRange(1), help="How many lines of each broker.", show_default=True)
def logs(lines: int) -> None:
    """Show what the brokers logged last."""
    from autograder.broker import background

    click.echo(background.logs(lines))


@kafka.command(
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
    epilog=examples("kafka shell", "kafka shell kafka-topics.sh --bootstrap-server localhost:9092 --list"),
)
@click.argument("command", nargs=-1, type=click.UNPROCESSED)
@click.pass_context
def shell(ctx: click.Context, command: tuple[str, ...]) -> None:
    """Open a shell that has Kafka's console tools.

    With a COMMAND, run only that.
    """
    from autograder.broker import background, jars
    from autograder.machine.java import find_java

    found_java = find_java()
    jars.ensure(found_java, say_progress)
    where = background.tools(found_java, background.folder() / "bin")
    env = dict(os.environ, PATH=os.pathsep.join([str(where), os.environ.get("PATH", "")]))
    if not command:
        click.echo(f"Here are {', '.join(background.TOOLS)}. Leave with 'exit'.")
    wanted = list(command) or [os.environ.get("SHELL", "/bin/sh")]
    try:
        found = subprocess.run(wanted, env=env, check=False)
    except OSError as error:
        raise KitError(
            f"{wanted[0]} cannot be run: {error.strerror or error}.", f"Kafka's own tools are {', '.join(background.TOOLS)}."
        ) from error
    ctx.exit(found.returncode)


@kafka.command(epilog=examples("kafka clean"))
def clean() -> None:
    """Remove the topics and logs that are kept."""
    from autograder.broker import background

    background.clean()
    click.echo("Topics and logs are removed.")
