"""The moves of an SGF file: the main line of its first game."""

import re
from collections.abc import Sequence

from fiedler.protocol.errors import RemoteProtocolError
from fiedler.protocol.gtp.command import PASS
from fiedler.protocol.words import quoted

LETTERS = "ABCDEFGHJKLMNOPQRSTUVWXYZ"
_SIDES = {"B": 0, "W": 1}
_SETUP = frozenset({"AB", "AW", "AE"})
_CHARSET = re.compile(rb"\bCA\s*\[\s*([^\]]*?)\s*\]")
_TREE = re.compile(r"\(\s*;")
"""The beginning of a game; before it, a file from elsewhere may have any text, as the head of a mail."""
_TOKEN = re.compile(r"\s*(?:([();])|([A-Za-z]+)|\[((?:[^\\\]]|\\.)*)\])", re.DOTALL)


def charset(data: bytes) -> str:
    """Return the encoding that the property CA of an SGF file declares; empty if there is none."""
    found = _CHARSET.search(data, max(0, data.find(b"(")))
    return found[1].decode("ascii", "replace") if found else ""


def read_sgf(text: str, size: int, most: int | None = None, *, passes: bool = False) -> list[tuple[int, str]]:
    """Return side and point of the moves of the main line, the first `most` ones, on a board of `size` points.

    Text before the first game is skipped. Without `passes` as moves, those after the last move are left out: they
    only say that the game was over.

    Raises:
        RemoteProtocolError: The text is not SGF, has setup stones or a handicap, or is for another size; or a side
            passes while the game runs.
    """
    moves: list[tuple[int, str]] = []
    passed = ""
    for name, values in _properties(text):
        if name in _SETUP:
            raise RemoteProtocolError(f"expected moves alone, got setup stones ({name})")
        if name == "HA" and any(value.strip() not in {"", "0"} for value in values):
            raise RemoteProtocolError(f"expected a game without a handicap, got HA[{values[0]}]")
        if name == "SZ" and [_size(value) for value in values] != [str(size)]:
            raise RemoteProtocolError(f"expected SZ[{size}], got SZ{values}")
        for value in values if name in _SIDES and len(moves) != most else ():
            point = _point(value.strip(), size) or PASS * passes
            if point and passed:
                raise RemoteProtocolError(f"expected a move, got a pass: {passed}; no game here has passes")
            if point:
                moves.append((_SIDES[name], point))
            else:
                passed = passed or f"{name}[{value}] as move {len(moves) + 1}"
    return moves


def read_komi(text: str) -> float | None:
    """Return the komi of the game that `read_sgf` reads; None if it names none.

    Raises:
        RemoteProtocolError: The text is not SGF, or the komi is not a number.
    """
    given = next((values[0].strip() for name, values in _properties(text) if name == "KM" and values), "")
    try:
        return float(given) if given else None
    except ValueError:
        raise RemoteProtocolError(f"expected a number in KM, got {quoted(given)}") from None


def _size(value: str) -> str:
    """Return `15` for `15` and for a square `15:15`."""
    columns, _, rows = (part.strip() for part in value.partition(":"))
    return columns if rows in {"", columns} else value


def _properties(text: str) -> Sequence[tuple[str, list[str]]]:
    """Return the properties of the main line: everything up to the end of the first variation."""
    found: list[tuple[str, list[str]]] = []
    tree = _TREE.search(text)
    at = tree.start() if tree else 0
    while tree and (token := _TOKEN.match(text, at)):
        at = token.end()
        sign, name, value = token.groups()
        if sign == ")":
            return found
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
