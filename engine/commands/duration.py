"""Times on a command line."""

from __future__ import annotations

import math

import click

from fiedler.support.errors import quoted_input
from fiedler.support.option_type import OptionType

MOST_SECONDS = 86400.0
UNITS = {"ms": 0.001, "s": 1.0, "": 1.0}
"""The units behind the number, in seconds; the longer word first."""


class Duration(OptionType[float]):
    """A time in seconds: more than nothing, at most a day; written `200ms`, `0.2s`, or a bare number of seconds."""

    name = "TIME"

    def convert(self, value: str | float, param: click.Parameter | None, ctx: click.Context | None) -> float:
        """Return the seconds."""
        seconds = _seconds(str(value))
        if not 0 < seconds <= MOST_SECONDS:  # nan is neither
            wanted = "expected a time above 0 and of at most a day, such as 200ms, 0.2s, or 0.2 for seconds"
            self.fail(f"{wanted}; got {quoted_input(str(value))}", param, ctx)
        return seconds


def _seconds(text: str) -> float:
    """Return the seconds of a written time; nan for any other text."""
    unit = next(unit for unit in UNITS if text.endswith(unit))
    try:
        return float(text.removesuffix(unit)) * UNITS[unit]
    except ValueError:
        return math.nan
