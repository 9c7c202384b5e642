"""The words of Gomocup: commands, keys of INFO, points, numbers that saturate."""

import re

from fiedler.protocol.errors import RemoteProtocolError
from fiedler.protocol.limit import MAX_MS
from fiedler.protocol.words import quoted

COMMANDS = (
    "START",
    "RECTSTART",
    "RESTART",
    "BEGIN",
    "TURN",
    "BOARD",
    "SWAP2BOARD",
    "PLAY",
    "TAKEBACK",
    "INFO",
    "ABOUT",
    "END",
)
"""Every command of a manager."""
DONE = "DONE"
ABOUT = "ABOUT"
OK, UNKNOWN, ERROR, MESSAGE, DEBUG, SUGGEST, SWAP = "OK", "UNKNOWN", "ERROR", "MESSAGE", "DEBUG", "SUGGEST", "SWAP"
OWN, OPPONENT = 1, 2
"""The sides of a stone after BOARD."""
UNLIMITED = MAX_MS
"""The `time_left` of a game without a clock; the largest number that every program reads."""
_POINT = re.compile(r"\s*(\d{1,3})\s*,\s*(\d{1,3})\s*", re.ASCII)
_STONE = re.compile(r"\s*(\d{1,3})\s*,\s*(\d{1,3})\s*,\s*(\d{1,3})\s*", re.ASCII)
_NUMBER = re.compile(r"[+-]?\d+", re.ASCII)
_MAX_DIGITS = 20
"""More digits are not read: the number is beyond every range."""


def is_command(line: str) -> bool:
    """Return whether a line can be the first of a Gomocup manager. `END` opens no dialect."""
    words = line.split()
    return bool(words) and words[0].upper() in COMMANDS and words[0].upper() != "END"


def read_point(text: str) -> str:
    """Return the point `x,y` without blanks.

    Raises:
        RemoteProtocolError: The text is not a point.
    """
    found = _POINT.fullmatch(text)
    if not found:
        raise RemoteProtocolError(f"expected X,Y, got {quoted(text.strip())}")
    return f"{int(found[1])},{int(found[2])}"


def read_stone(text: str) -> tuple[str, int]:
    """Return point and side of the stone `x,y,f`.

    Raises:
        RemoteProtocolError: The text is not a stone of one of the sides.
    """
    found = _STONE.fullmatch(text)
    if not found or int(found[3]) not in (OWN, OPPONENT):
        raise RemoteProtocolError(f"expected X,Y,F with F {OWN} or {OPPONENT}, or {DONE}; got {quoted(text.strip())}")
    return f"{int(found[1])},{int(found[2])}", int(found[3])


def read_size(text: str) -> int:
    """Return the side of a square board, given by one number, or by two equal ones, as some managers write it.

    Raises:
        RemoteProtocolError: The text is not the size of a square.
    """
    sides = [read_number(word) for word in text.replace(",", " ").split()] or [read_number(text)]
    if len(sides) > 2 or len({*sides}) > 1:
        raise RemoteProtocolError(f"expected a square board, one number or twice the same, got {quoted(text.strip())}")
    return sides[0]


def read_number(text: str) -> int:
    """Return a whole number, cut to the range of 32 bits.

    Raises:
        RemoteProtocolError: The text is not a whole number.
    """
    word = text.strip()
    if not _NUMBER.fullmatch(word):
        raise RemoteProtocolError(f"expected a whole number, got {quoted(word)}")
    if len(word) > _MAX_DIGITS:
        return -UNLIMITED if word.startswith("-") else UNLIMITED
    return max(-UNLIMITED, min(UNLIMITED, int(word)))
