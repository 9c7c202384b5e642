"""The moves of an SGF file: the main line of its first game."""

import re
from collections.abc import Sequence

from protocol.errors import RemoteProtocolError
from protocol.words import quoted

LETTERS = "ABCDEFGHJKLMNOPQRSTUVWXYZ"
_SIDES = {"B": 0, "W": 1}
_SETUP = frozenset({"AB", "AW", "AE"})
_TOKEN = re.compile(r"\s*(?:([();])|([A-Za-z]+)|\[((?:[^\\\]]|\\.)*)\])", re.DOTALL)


def read_sgf(text: str, size: int) -> list[tuple[int, str]]:
    """Return side and point of every move of the main line, on a board of `size` points.

    Passes are left out: they only say that the game was over.

    Raises:
        RemoteProtocolError: The text is not SGF, has setup stones, or is for another size.
    """
    moves: list[tuple[int, str]] = []
    for name, values in _properties(text):
        if name in _SETUP:
            raise RemoteProtocolError(f"expected moves alone, got setup stones ({name})")
        if name == "SZ" and values != [str(size)]:
            raise RemoteProtocolError(f"expected SZ[{size}], got SZ{values}")
        if name in _SIDES:
            moves += [(_SIDES[name], point) for value in values if (point := _point(value, size))]
    return moves


def _properties(text: str) -> Sequence[tuple[str, list[str]]]:
    """Return the properties of the main line: everything up to the end of the first variation."""
    found: list[tuple[str, list[str]]] = []
    at, begun = 0, False
    while token := _TOKEN.match(text, at):
        at = token.end()
        sign, name, value = token.groups()
        if sign == ")":
            return found
        begun = begun or sign == "("
        if not begun:
            break
        if name is not None:
            found.append(("".join(letter for letter in name if letter.isupper()), []))
        elif value is not None:
            if not found:
                break
            found[-1][1].append(value)
    raise RemoteProtocolError(f"expected SGF, got {quoted(text[at:].strip())} at character {at}")


def _point(value: str, size: int) -> str:
    """Return the point of two letters, the column from the left and the row from the top; empty for a pass."""
    if not value or (value == "tt" and size <= 19):
        return ""
    column, row = (ord(letter) - ord("a") for letter in value) if len(value) == 2 else (-1, -1)
    if not (0 <= column < size and 0 <= row < size):
        raise RemoteProtocolError(f"expected a point on a board of size {size}, got {quoted(value)}")
    return f"{LETTERS[column]}{size - row}"
