"""Meetings × colours: the games of a tournament, each with an id that never changes."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from msgspec import Struct

Pair = tuple[str, str]


class PlannedGame(Struct, frozen=True):
    """A game to be played: `first` moves first; `number` is its place in the schedule, from 1.

    `step` of the plan it belongs to, from 1; `turn` counts the openings of its two players, from 0.
    """

    id: str
    number: int
    first: str
    second: str
    opening: tuple[str, ...]
    step: int = 1
    turn: int = 0


class Played(NamedTuple):
    """A finished game as pairing sees it."""

    first: str
    second: str
    result: str
    step: int
    turn: int
    failed: bool = False
    """whether the loser lost by a failure, as a crash or an illegal move"""

    @property
    def loser(self) -> str | None:
        """The name of the player that lost, None after a draw."""
        return {"1-0": self.second, "0-1": self.first}.get(self.result)


class History:
    """What a run has planned so far, and what of it is finished."""

    def __init__(self) -> None:
        self.pairs: dict[frozenset[str], Pair] = {}
        """the pairs that were chosen to meet, each as it was chosen, in that order"""
        self.targets: Counter[frozenset[str]] = Counter()
        """how often each of them is to meet in all"""
        self.meetings: Counter[frozenset[str]] = Counter()
        """planned meetings of every pair, two games each"""
        self.places: dict[frozenset[str], int] = {}
        """which pair each of them was, from 0, in the order of their first meeting"""
        self.finished: list[Played] = []
        """in the order in which they ended"""
        self.benched: set[str] = set()
        """players that get no more games"""
        self.forgiven: dict[str, int] = {}
        """of readmitted players: how many games were finished then, whose failures do not bench them again"""
        self.planned = 0
        """games, those that were given up among them"""
        self.steps = 0
        """steps of the plan so far"""

    def choose(self, pairs: Mapping[Pair, int]) -> None:
        """Take note of pairs that are to meet, and how often in all."""
        for pair, target in pairs.items():
            self.pairs.setdefault(frozenset(pair), pair)
            self.targets[frozenset(pair)] = target

    def plan(self, games: Iterable[PlannedGame]) -> None:
        """Take note of planned games."""
        for game in games:
            pair = frozenset((game.first, game.second))
            self.places.setdefault(pair, len(self.places))
            self.meetings[pair] = max(self.meetings[pair], game.turn + 1)
            self.steps = max(self.steps, game.step)
            self.planned = max(self.planned, game.number)

    def finish(self, game: Played) -> None:
        """Take note of a finished game."""
        self.finished.append(game)


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
    meetings: Iterable[Pair], opening: Callable[[int], Sequence[str]], seed: int, history: History, step: int
) -> Iterator[PlannedGame]:
    """Yield the two games of each of the `meetings` that come after `history`: one opening, colours reversed.

    `opening(number)` is the opening of that number, from 0, in a list that begins again at its end. The first pair that
    meets goes through the list from its beginning, the second from the second opening on, and so forth: a pair repeats
    none before the list is at its end, and pairs that meet once do not all begin alike.
    """
    number = history.planned
    places = dict(history.places)
    met = Counter[frozenset[str]]()
    for a, b in meetings:
        pair = frozenset((a, b))
        turn = history.meetings[pair] + met[pair]
        met[pair] += 1
        moves = tuple(opening(places.setdefault(pair, len(places)) + turn))
        for first, second in ((a, b), (b, a)):
            number += 1
            yield PlannedGame(game_id(seed, first, second, turn), number, first, second, moves, step, turn)


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
