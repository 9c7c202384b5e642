"""Players that are one network at different times: names with the same stem and a number at the end."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from tournament.ratings import PlayerRating

ENOUGH = 4
"""players that make a curve"""
_NUMBERED = re.compile(r"(.*?)(\d{1,9})")
_LOPSIDED = 0.15


@dataclass(frozen=True)
class Series:
    """The players of one stem by rising number, which is an epoch, an iteration or a count of steps."""

    stem: str
    numbers: tuple[int, ...]
    players: tuple[PlayerRating, ...]

    @property
    def best(self) -> PlayerRating:
        """The player with the highest rating."""
        return max(self.players, key=lambda player: player.elo)


def are_geometric(numbers: Iterable[int]) -> bool:
    """Return whether numbers grow by factors rather than by steps, as 100, 1000, 10000 do."""
    rising = sorted(set(numbers))
    return rising[0] > 0 and rising[len(rising) // 2] <= _LOPSIDED * rising[-1]


def find_series(players: tuple[PlayerRating, ...]) -> list[Series]:
    """Return the curves among the rated players, the longest first."""
    stems: defaultdict[str, dict[int, PlayerRating]] = defaultdict(dict)
    for player in players:
        parts = _NUMBERED.fullmatch(player.name)
        if parts and player.games:
            stems[parts[1]].setdefault(int(parts[2]), player)
    found = [
        Series(stem, tuple(sorted(numbered)), tuple(numbered[number] for number in sorted(numbered)))
        for stem, numbered in stems.items()
        if len(numbered) >= ENOUGH
    ]
    return sorted(found, key=lambda series: (-len(series.numbers), series.stem))
