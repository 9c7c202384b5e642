"""The next steps after a command: lines for a person, on standard error, and only on a terminal."""

from __future__ import annotations

import shlex
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

import click


def tournament(*words: object) -> str:
    """Return a command of this program as it can be typed here."""
    return f"{_program()} {shlex.join(map(str, words))}"


def suggest(steps: Sequence[tuple[str, str]]) -> None:
    """Print commands and what they are for, if somebody reads them; scripts see nothing."""
    if not steps or not sys.stderr.isatty():
        return
    width = max(len(command) for command, _ in steps)
    click.echo("next:", err=True)
    for command, purpose in steps:
        click.echo(f"  {command:<{width}}  # {purpose}", err=True)


def _program() -> str:
    """Return the name of this program, or its path where the name would not be found."""
    started = Path(sys.argv[0])
    if started.name != "tournament":  # as a module, or by a test
        return "tournament"
    return started.name if shutil.which(started.name) else shlex.quote(str(started))
