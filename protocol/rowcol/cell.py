"""The line `ROW COLUMN`."""

from fiedler.protocol.errors import RemoteProtocolError
from fiedler.protocol.words import number, quoted

FIRST = "-1 -1"
"""The request for the first move of the game."""
SIDE = 9
"""Rows, and columns."""


def is_cell(line: str) -> bool:
    """Return whether a line is two whole numbers, of any size."""
    words = line.split()
    return len(words) == 2 and None not in map(number, words)


def read_answer(line: str) -> str:
    """Return the cell at the beginning of a player's line; further words do not count, as for CodinGame's referee.

    Raises:
        RemoteProtocolError: The line does not begin with a cell.
    """
    cell = " ".join(line.split()[:2])
    return read_cell(cell if is_cell(cell) else line)


def read_cell(line: str, *, first: bool = False) -> str:
    """Return a line as `ROW COLUMN` with one blank; with `first` also as FIRST.

    Raises:
        RemoteProtocolError: The line is not a cell.
    """
    numbers = [number(word) for word in line.split()]
    if len(numbers) == 2 and all(one is not None and 0 <= one < SIDE for one in numbers):
        return f"{numbers[0]} {numbers[1]}"
    if first and numbers == [-1, -1]:
        return FIRST
    raise RemoteProtocolError(f"expected ROW COLUMN, each from 0 to {SIDE - 1}, got {quoted(line.strip())}")
