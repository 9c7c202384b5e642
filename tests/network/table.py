"""The tables of `docs/network.md`: what each fault of the network does, and how soon."""

from __future__ import annotations

import functools
import re
from typing import NamedTuple

from tests.folders import DOCS

PAGE = DOCS / "network.md"


class Cell(NamedTuple):
    """A fault at one end."""

    fault: str
    end: str
    """The head of the column."""
    word: str
    seconds: int
    """The most seconds from the begin of the fault to the word."""

    def __str__(self) -> str:
        return f"{self.fault}: {self.end}"


@functools.cache
def cells() -> list[Cell]:
    """Return the cells of all tables whose first column is `fault`, row by row."""
    found, ends = [], list[str]()
    for line in PAGE.read_text("utf-8").splitlines():
        first, *rest = [text.strip() for text in line.strip("|").split("|")] if line.startswith("|") else [""]
        if first == "fault":
            ends = rest
        elif ends and rest and not first.startswith("-"):
            found += [_cell(first, end, text) for end, text in zip(ends, rest, strict=True)]
        elif not rest:
            ends = []
    return found


def _cell(fault: str, end: str, text: str) -> Cell:
    parts = re.fullmatch(r"`?([a-z]+)`?, (\d+) s", text)
    assert parts, f"{PAGE}: {fault}, {end}: expected WORD, N s, got {text!r}"
    return Cell(fault, end, parts[1], int(parts[2]))
