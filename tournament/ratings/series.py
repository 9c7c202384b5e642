"""Players in an order: names with the same stem and a number at the end, such as the checkpoints of a network."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from tournament.ratings.model import PlayerRating

ENOUGH = 4
"""Least players of a series."""
_NUMBERED = re.compile(r"(.*?)(\d{1,9})")


class NumberedPlayer(NamedTuple):
    """A player of a series and its number: an epoch, an iteration or a count of steps."""

    number: int
    player: PlayerRating


def find_numbered(players: Iterable[PlayerRating]) -> Iterator[tuple[str, list[NumberedPlayer]]]:
    """Yield the stem and the players with games of every series, by rising number; the longest series comes first."""
    stems: defaultdict[str, dict[int, PlayerRating]] = defaultdict(dict)
    for player in players:
        parts = _NUMBERED.fullmatch(player.name)
        if parts and player.games:
            stems[parts[1]].setdefault(int(parts[2]), player)
    for stem, numbered in sorted(stems.items(), key=lambda item: (-len(item[1]), item[0])):
        if len(numbered) >= ENOUGH:
            yield stem, [NumberedPlayer(number, numbered[number]) for number in sorted(numbered)]
