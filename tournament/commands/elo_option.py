"""Numbers of Elo on a command line, within the bounds of a schedule."""

from __future__ import annotations

import math
from typing import Any

import click

from fiedler.tournament.elo import MOST_ELO


class Elo(click.FloatRange):
    """A number of Elo that is not negative, or above 0 if `positive`; nan is rejected."""

    def __init__(self, *, positive: bool = False) -> None:
        super().__init__(0, MOST_ELO, min_open=positive)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:  # noqa: ANN401
        """Return the number."""
        number = float(super().convert(value, param, ctx))
        if math.isnan(number):
            self.fail(f"expected a number of Elo, got {value!r}", param, ctx)
        return number
