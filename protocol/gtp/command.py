"""The command line of GTP: an optional number, a name, arguments."""

import re
from dataclasses import dataclass

from fiedler.protocol.coordinates import Coordinates
from fiedler.protocol.errors import RemoteProtocolError
from fiedler.protocol.words import number, quoted

COMMENT = "#"
TAKES_FILE = frozenset({"loadsgf"})
"""The commands whose argument may be in quotes: the name of a file."""
_FILE_WORD = re.compile(r'"([^"]+)"|(\S+)')
INTERRUPT = "# interrupt"
"""The comment that ends a search, in the GoGui family of programs."""
SET_RULE = "kata-set-rule"
"""The command of KataGo for one rule of Go: GTP has none."""
FIXED_HANDICAP = "fixed_handicap"
HANDICAPS = frozenset({FIXED_HANDICAP, "place_free_handicap", "set_free_handicap"})
"""Commands for Go that no game here has: their refusal has its reason."""
GO, OF_GO = "Go", HANDICAPS | {"final_status_list"}
"""The family of a program with one of these commands of GTP, which no other game has."""
PASS = "PASS"  # noqa: S105 - a move
COLORS = {"b": 0, "black": 0, "w": 1, "white": 1}
"""The side of a color: 0 moves first."""
LETTERS = "BW"
"""How we write the colors."""
NAMES = ("black", "white")
NO_I = "; GTP leaves out the letter I: J follows H"
"""A reminder for the end of a message."""
_POINT = re.compile(r"[A-Z]\d+")
_MISSING = re.compile(r"I\d+", re.IGNORECASE)
"""A point in the column that no board has."""
_H = 8
"""The number of the last column before the missing letter."""


@dataclass(frozen=True, slots=True)
class Command:
    """One command."""

    id: str
    """The digits before the command, which its response repeats; mostly none."""
    name: str
    arguments: tuple[str, ...]


def read_command(line: str) -> Command | None:
    """Return the command on a line; None for a blank line or a comment. Control characters count as blanks or nothing.

    Raises:
        RemoteProtocolError: A number stands alone.
    """
    text = "".join(sign for sign in line.partition(COMMENT)[0].replace("\t", " ") if sign.isprintable())
    words = text.split()
    if not words:
        return None
    identity = words.pop(0) if _is_id(words[0]) else ""
    if not words:
        raise RemoteProtocolError(f"expected a command after {quoted(identity)}, got nothing")
    name = words[0]
    return Command(identity, name, _file_words(text, name) if name in TAKES_FILE else tuple(words[1:]))


def _file_words(text: str, name: str) -> tuple[str, ...]:
    """Return the words behind the name of a command; one in quotes may hold blanks."""
    return tuple(within or plain for within, plain in _FILE_WORD.findall(text.partition(name)[2]))


def is_interrupt(line: str) -> bool:
    """Return whether a line ends the search that runs."""
    return line.split() == INTERRUPT.split()


def letter_hint(point: str, names: Coordinates) -> str:
    """Return a reminder for the end of a message if a point has the letter that GTP leaves out; else empty.

    A board without a column after H needs none, nor one with a column I.
    """
    return NO_I if _lacks_i(names) and _MISSING.fullmatch(point) else ""


def refusal_hint(point: str, names: Coordinates) -> str:
    """Return the same reminder for a refused point in the last column: a player that counts the letter I lacks it."""
    is_last = _POINT.fullmatch(point) and ord(point[0]) - ord("A") >= names.size
    return NO_I if _lacks_i(names) and is_last else ""


def _lacks_i(names: Coordinates) -> bool:
    return names.size > _H and not names.has_i


def color(word: str) -> int:
    """Return the side of a color, 0 for black.

    Raises:
        RemoteProtocolError: The word is not a color.
    """
    side = COLORS.get(word.lower())
    if side is None:
        raise RemoteProtocolError(f"expected a color, b or w, got {quoted(word)}")
    return side


def whole(word: str, low: int, high: int) -> int:
    """Return the whole number that a word spells.

    Raises:
        RemoteProtocolError: The word is not a number from `low` to `high`.
    """
    value = number(word)
    if value is None or not low <= value <= high:
        raise RemoteProtocolError(f"expected a whole number from {low} to {high}, got {quoted(word)}")
    return value


def _is_id(word: str) -> bool:
    value = number(word)
    return value is not None and value >= 0 and not word.startswith("-")
