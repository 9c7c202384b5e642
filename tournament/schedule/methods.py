"""The pairing methods: what each of them is, in one table."""

from __future__ import annotations

from msgspec import Struct


class Method(Struct, frozen=True, kw_only=True):
    """A value of `method` of `[pairing]`, with the facts that other rooms ask for."""

    name: str
    """Its name in a schedule."""
    keys: tuple[str, ...] = ()
    """The other keys of `[pairing]` that belong to it."""
    size_key: str | None = None
    """The key of `[pairing]` that makes a tournament too large; None: its number of players does."""
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
        Method(name="meeting-graph", keys=(*_DESIGN, "stop"), size_key="pairs", designed=True, fixed=True),
        Method(
            name="adaptive",
            keys=("games", "forbidden", "prior_games", "style_sd", "batches", "stop"),
            size_key="games",
            budgeted=True,
            spends=True,
        ),
        Method(name="ladder", keys=("opponents", "stop"), size_key="opponents", awaits=True),
        Method(name="round-robin", keys=("stop",), fixed=True),
        Method(name="gauntlet", keys=("challengers", "stop"), challenged=True, fixed=True),
        Method(name="swiss", keys=("rounds", "stop"), size_key="rounds", closed=True),
        Method(name="knockout", closed=True, complete=True, eliminates=True),
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
