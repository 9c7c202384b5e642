"""The pairing methods: what each of them is, in one table."""

from __future__ import annotations

import math
from collections.abc import Callable

from msgspec import Struct


class Extent(Struct, frozen=True, kw_only=True):
    """The numbers of a schedule that decide how many pairs meet."""

    players: int
    budget: int = 0
    """The pairs that a meeting graph asks for."""
    challengers: int = 1
    opponents: int = 0
    """The opponents of a newcomer."""
    rounds: int | None = None
    """None: as many as a knockout has."""

    @property
    def everyone(self) -> int:
        """The number of all pairs."""
        return self.players * (self.players - 1) // 2


def _gauntlet(extent: Extent) -> int:
    challengers = min(extent.players, extent.challengers)
    return challengers * (extent.players - 1) - challengers * (challengers - 1) // 2


def _swiss(extent: Extent) -> int:
    return (extent.rounds or math.ceil(math.log2(max(extent.players, 2)))) * (extent.players // 2)


class Method(Struct, frozen=True, kw_only=True):
    """A value of `method` of `[pairing]`, with the facts that other rooms ask for."""

    name: str
    """Its name in a schedule."""
    keys: tuple[str, ...] = ()
    """The other keys of `[pairing]` that belong to it."""
    size_key: str | None = None
    """The key of `[pairing]` that makes a tournament too large; None: its number of players does."""
    most_pairs: Callable[[Extent], int] = lambda _: 0
    """Returns the number of pairs that meet, those of each round of its own; 0: it is planned as it is played."""
    designed: bool = False
    """Whether the pairs are the edges of a designed graph."""
    challenged: bool = False
    """Whether `challengers` meet all other players."""
    fixed: bool = False
    """Whether the pairs are fixed before the first game."""
    budgeted: bool = False
    """Whether it plans games step by step, up to `games`."""
    spends: bool = False
    """Whether it needs `games`, and plays all of them."""
    closed: bool = False
    """Whether no players can be added to a run."""
    complete: bool = False
    """Whether it needs all its players from the beginning."""
    eliminates: bool = False
    """Whether the loser of a match is out: later games rest on earlier results, and the winner is the best player."""
    is_test: bool = False
    """Whether it is a sequential test of two hypotheses, which ends with a verdict."""
    awaits: bool = False
    """Whether a run with all its games waits for further players, the next checkpoints of a training."""


_DESIGN = ("pairs", "degree", "games", "criterion", "degree_cap", "required", "forbidden", "prior_games", "style_sd")

METHODS = {
    method.name: method
    for method in (
        Method(
            name="meeting-graph",
            keys=(*_DESIGN, "stop"),
            size_key="pairs",
            most_pairs=lambda extent: min(extent.everyone, extent.budget),
            designed=True,
            fixed=True,
        ),
        Method(
            name="adaptive",
            keys=("games", "forbidden", "prior_games", "style_sd", "batches", "plan", "goal", "stop"),
            size_key="games",
            budgeted=True,
            spends=True,
        ),
        Method(
            name="ladder",
            keys=("opponents", "stop"),
            size_key="opponents",
            most_pairs=lambda extent: min(extent.everyone, extent.players * extent.opponents),
            awaits=True,
        ),
        Method(name="round-robin", keys=("stop",), most_pairs=lambda extent: extent.everyone, fixed=True),
        Method(name="gauntlet", keys=("challengers", "stop"), most_pairs=_gauntlet, challenged=True, fixed=True),
        Method(name="swiss", keys=("rounds", "stop"), size_key="rounds", most_pairs=_swiss, closed=True),
        Method(
            name="knockout",
            most_pairs=lambda extent: extent.players - 1,
            closed=True,
            complete=True,
            eliminates=True,
        ),
        Method(name="sprt", keys=("games", "sprt"), budgeted=True, closed=True, complete=True, is_test=True),
    )
}
"""The methods by their names."""


def method(name: str) -> Method:
    """Return the method of this name; for another name, which a check refuses, one without any property."""
    return METHODS.get(name) or Method(name=name)


def methods_with(key: str) -> list[str]:
    """Return the names of the methods that a key of `[pairing]` belongs to."""
    return [method.name for method in METHODS.values() if key in method.keys]
