"""Names that differ by a number alone, such as those of the checkpoints of a network."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from typing import NamedTuple

from fiedler.tournament.ratings.model import PlayerRating

ENOUGH = 4
"""Least players of a series."""
UNITS = {"": 1, "k": 1_000, "m": 1_000_000}
"""The letter behind a number: `10k` is 10,000."""
_NUMBERED = re.compile(r"(.*?)(\d{1,9})([km](?![^\W\d_]))?(\D*)", re.IGNORECASE)
_DIGITS = re.compile(r"\d{1,9}")

_Numbers = tuple[int, ...]
_Members = dict[_Numbers, PlayerRating]


class NumberedPlayer(NamedTuple):
    """A player of a series and its number: an epoch, an iteration or a count of steps."""

    number: int
    player: PlayerRating


def find_numbered(players: Iterable[PlayerRating]) -> Iterator[tuple[str, list[NumberedPlayer]]]:
    """Yield the stem and the players with games of every series, by rising number; the longest series comes first.

    The stem is the name before the number, `net-` of `net-0010`; text behind the number follows after an ellipsis, as
    in `net-….onnx`. In a name of several numbers the last one that differs counts. Names of which an earlier number
    differs too are a series if all numbers rise together, such as `epoch=3-step=300`.
    """
    rated = [player for player in players if player.games]
    found = _grouped(rated, _by_last)
    seen = {id(player) for members in found.values() for player in members.values()}
    others = _grouped((player for player in rated if id(player) not in seen), _by_all)
    differing = {stem: _differing(members) for stem, members in others.items()}
    found |= {stem: members for stem, members in differing.items() if _rise_together(members)}
    for stem, members in sorted(found.items(), key=lambda item: (-len(item[1]), item[0])):
        yield stem, [NumberedPlayer(numbers[-1], members[numbers]) for numbers in sorted(members)]


def _grouped(
    players: Iterable[PlayerRating], parts_of: Callable[[str], tuple[str, _Numbers] | None]
) -> dict[str, _Members]:
    """Return the players of each stem that has enough of them, by the numbers of their names."""
    stems: defaultdict[str, _Members] = defaultdict(dict)
    for player in players:
        if (parts := parts_of(player.name)) is not None:
            stems[parts[0]].setdefault(parts[1], player)
    return {stem: members for stem, members in stems.items() if len(members) >= ENOUGH}


def _by_last(name: str) -> tuple[str, _Numbers] | None:
    """Return the name around its last number, and that number."""
    if (parts := _NUMBERED.fullmatch(name)) is None:
        return None
    stem, digits, unit, rest = parts.groups(default="")
    return f"{stem}…{rest}" if rest else stem, (int(digits) * UNITS[unit.lower()],)


def _by_all(name: str) -> tuple[str, _Numbers] | None:
    """Return the name around all its numbers, and those."""
    numbers = tuple(map(int, _DIGITS.findall(name)))
    return (_DIGITS.sub("…", name), numbers) if numbers else None


def _differing(members: _Members) -> _Members:
    """Return the players by those of their numbers that are not the same in all names."""
    places = [place for place, column in enumerate(zip(*members, strict=True)) if len(set(column)) > 1]
    return {tuple(numbers[place] for place in places): player for numbers, player in members.items()}


def _rise_together(members: _Members) -> bool:
    """Return whether no number falls while the last one rises."""
    return all(
        one[-1] < other[-1] and all(a <= b for a, b in zip(one, other, strict=True))
        for one, other in pairwise(sorted(members))
    )
