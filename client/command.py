"""The words of a command, and the places in them that are filled when its program starts."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from fiedler.support.errors import UsageError

PORT_PLACE = "{port}"
"""The place of our port in the command of a program that connects to us."""
MOVETIME_PLACE = "{movetime_s}"
"""The place of the time of a move, in seconds."""
MOVETIME_S = "0.1"
"""This time where a program starts before its first search."""


def command_words(command: str) -> list[str]:
    """Split the value of --command into words like a shell.

    Raises:
        UsageError: It has no words, or a quotation without its end.
    """
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise UsageError(f"--command: {str(error).lower()} in {command!r}") from None
    if not words:
        raise UsageError("--command: expected a program, got nothing")
    return words


def has_place(command: Sequence[str] | None, place: str) -> bool:
    """Return whether a command has this place."""
    return any(place in word for word in command or ())


def filled(command: Sequence[str], port: int, movetime_s: str = MOVETIME_S) -> list[str]:
    """Return a command with our port, and the time of a move in seconds, in their places."""
    return [word.replace(PORT_PLACE, str(port)).replace(MOVETIME_PLACE, movetime_s) for word in command]
