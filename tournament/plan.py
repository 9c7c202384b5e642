"""Pairs × openings × colours: the games of a tournament, each with an id that never changes."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

Pair = tuple[str, str]


class PlannedGame(Struct, frozen=True):
    """A game to be played: `first` moves first; `number` is its place in the schedule, from 1."""

    id: str
    number: int
    first: str
    second: str
    opening: tuple[str, ...]


def game_id(seed: int, first: str, second: str, turn: int) -> str:
    """Return the id of the game that `first` begins against `second` with the opening number `turn`, from 0.

    It depends on names, not on places, so players added later change no id. Sixteen hexadecimal digits.
    """
    text = "\n".join((str(seed), first, second, str(turn)))
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


def player_seed(seed: int, game: str, side: int) -> int:
    """Return the seed that one side of a game is sent: 0 to 2³¹ - 1, made from schedule, game id and side."""
    text = f"{seed}\n{game}\n{side}"
    return int.from_bytes(hashlib.blake2b(text.encode(), digest_size=4).digest(), "big") >> 1


def plan(
    pairs: Sequence[Pair],
    openings: Sequence[Sequence[str]],
    games_per_pair: int,
    seed: int,
    known: Iterable[PlannedGame] = (),
) -> list[PlannedGame]:
    """Return all games: those `known` from before as they were, then the others.

    Game k of every pair comes before game k + 1 of any, so every prefix is balanced; colours alternate, and the two
    games of an opening follow each other. Openings that are too few are used again in order.
    """
    kept = list(known)
    numbers = itertools.count(len(kept) + 1)
    ids = {game.id for game in kept}
    for k, (a, b) in itertools.product(range(games_per_pair), pairs):
        first, second = (a, b) if k % 2 == 0 else (b, a)
        id_ = game_id(seed, first, second, k // 2)
        if id_ not in ids:
            kept.append(PlannedGame(id_, next(numbers), first, second, tuple(openings[k // 2 % len(openings)])))
    return kept


def in_rounds(pairs: Iterable[Pair]) -> Iterator[Pair]:
    """Order pairs so that neighbours share no player where possible: games at the same time then load all players."""
    left = list(pairs)
    while left:
        busy: set[str] = set()
        later = []
        for pair in left:
            if busy.isdisjoint(pair):
                busy.update(pair)
                yield pair
            else:
                later.append(pair)
        left = later


def with_colours(pairs: Sequence[Pair], fixed: int = 0) -> Iterator[Pair]:
    """Turn pairs round so that each player moves first in about half of its first games, after any prefix.

    The first `fixed` pairs stay as they are.
    """
    lead: dict[str, int] = {}
    for place, pair in enumerate(pairs):
        first, second = pair if place < fixed else sorted(pair, key=lambda name: lead.get(name, 0))
        lead[first] = lead.get(first, 0) + 1
        lead[second] = lead.get(second, 0) - 1
        yield first, second
