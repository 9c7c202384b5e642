"""The command `pbrain-fiedler`: an engine for managers of Gomocup, which start programs without arguments."""

from __future__ import annotations

import sys

from engine.cli import engine
from support.console import command_line

ARGUMENTS = ("serve", "--stdio", "--protocol", "gomocup")
PLAYER = ("--player", "negamax")
"""The strongest player of gomoku and renju."""
CHOOSING = ("--player", "--model")
"""Options that choose another player."""


def main() -> None:
    """Run `engine serve` for a manager of Gomocup; further arguments are those of `engine serve`."""
    given = sys.argv[1:]
    chosen = any(word.partition("=")[0] in CHOOSING for word in given)
    sys.argv[1:] = [*ARGUMENTS, *(() if chosen else PLAYER), *given]
    command_line(engine)
