"""Expected strengths that chose the pairs: a posterior must know them too (docs/ratings.md)."""

from __future__ import annotations

from collections.abc import Sequence

from tournament.schedule.schedule import Pairing, PlayerEntry

DEFAULT_SD = 100.0
"""Standard deviation in Elo of an expected strength without `elo_sd`."""
BY_ELO = frozenset({"adaptive", "ladder"})
"""Methods that pair by `elo`, at least at their beginning; a meeting graph does with some criteria."""


def chosen_by_elo(pairing: Pairing) -> bool:
    """Return whether the `elo` of the players takes part in the choice of pairs."""
    informed = pairing.method == "meeting-graph" and pairing.criterion in ("precision", "order")
    return informed or pairing.method in BY_ELO


def expected_strengths(players: Sequence[PlayerEntry]) -> dict[str, tuple[float, float]]:
    """Return expected Elo and its standard deviation by name, for the players that have an `elo`."""
    known = [(player.name, player.elo, player.elo_sd) for player in players]
    return {name: (elo, sd or DEFAULT_SD) for name, elo, sd in known if elo is not None}
