"""Positions of chess in the lines of EPD files: four fields of a FEN, then operations such as `bm e4; id "x";`.

`hmvc` and `fmvn` are the clock and the number of the turn, the other two fields of a FEN; other operations are left out
(Extended Position Description, PGN standard, 16.2). A line may also have the six fields of a FEN.
"""

from __future__ import annotations

import re

from fiedler.games.errors import PositionError
from fiedler.support.errors import quoted_input

FIELDS = 4
"""The fields of a FEN that a line has at least."""
_COUNTERS = re.compile(r"(\d+)\s+(\d+)(?=[\s;]|$)", re.ASCII)
_OPERATION = re.compile(r'(?:"[^"]*+"|[^;"]++|")++')
"""A name and its operands, up to a `;` outside quotes; a quote that is not closed is a sign as any other."""


def read_start(line: str) -> str:
    """Return the position of a line as a FEN in one word; the fields are unchecked.

    Raises:
        PositionError: The line has fewer than four fields.
    """
    fields = line.split(maxsplit=FIELDS)
    if len(fields) < FIELDS:
        raise PositionError(f"position: expected at least {FIELDS} fields of a FEN, got {quoted_input(line.strip())}")
    clock, turn = _counters(fields[FIELDS]) if len(fields) > FIELDS else ("0", "1")
    return "_".join([*fields[:FIELDS], clock, turn])


def _counters(rest: str) -> tuple[str, str]:
    """Return the clock and the number of the turn."""
    if found := _COUNTERS.match(rest):
        return found[1], found[2]
    if "hmvc" not in rest and "fmvn" not in rest:
        return "0", "1"
    words = (one.split(maxsplit=1) for one in _OPERATION.findall(rest))
    operations = {found[0]: found[1].rstrip() for found in words if len(found) > 1}
    return operations.get("hmvc", "0"), operations.get("fmvn", "1")
