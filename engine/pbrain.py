"""The command `pbrain-fiedler`: an engine for managers of Gomocup, which start programs without arguments."""

from __future__ import annotations

import sys

from fiedler.engine.cli import engine
from fiedler.support.console import command_line

ARGUMENTS = ("serve", "--stdio", "--protocol", "gomocup")


def main() -> None:
    """Run `engine serve` for a manager of Gomocup; further arguments are those of `engine serve`."""
    sys.argv[1:] = [*ARGUMENTS, *sys.argv[1:]]
    command_line(engine)
