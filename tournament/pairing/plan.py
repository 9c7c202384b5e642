"""Meetings × colours: the games of a tournament, each with an id that never changes."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from msgspec import Struct

from games.result import Result
from tournament.game import PlannedGame
from tournament.schedule.pairs import Pair


class Played(NamedTuple):
    """A finished game as pairing sees it."""

    first: str
    second: str
    result: Result
    step: int
    turn: int
    failed: bool = False
    """whether the loser lost by a failure, as a crash or an illegal move"""

    @property
    def loser(self) -> str | None:
        """The name of the player that lost, None after a draw."""
        return self.result.loser(self.first, self.second)


class Decision(Struct, frozen=True):
    """What a sequential test or a stopping rule found, for good: later games do not change it."""

    why: str
    """what was found, as a sentence"""
    games: int
    """it rests on the first so many finished games in the order of the plan"""
    test: str = ""
    """of a sequential test: its line after these games"""


GameKey = tuple[str, str, int]
"""first player, second player, turn: which game it is"""


class History:
    """What a run has planned so far, and what of it is finished.

    `settled` is what decisions rest on: games may end in any order, the plan has one.
    """

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
        self.settled: list[Played] = []
        """in the order of the plan, up to the first game that has no result yet and was not given up"""
        self.settled_steps: list[int] = []
        """of every step whose games are all settled, how many games are finished up to its end"""
        self.undecided = 0
        """steps of the plan after which nothing was decided"""
        self.decision: Decision | None = None
        self.benched: set[str] = set()
        """players that get no more games"""
        self.forgiven: dict[str, int] = {}
        """of readmitted players: how many games were finished then, whose failures do not bench them again"""
        self.planned = 0
        """games, those that were given up among them"""
        self.steps = 0
        """steps of the plan so far"""
        self._order: list[tuple[GameKey, int]] = []
        self._results: dict[GameKey, Played | None] = {}
        self._place = 0

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
            self._order.append(((game.first, game.second, game.turn), game.step))

    def finish(self, game: Played) -> None:
        """Take note of a finished game."""
        self.finished.append(game)
        self._results[game.first, game.second, game.turn] = game
        self._settle()

    def give_up(self, games: Iterable[PlannedGame]) -> None:
        """Take note of games that will not be played."""
        for game in games:
            self._results.setdefault((game.first, game.second, game.turn), None)
        self._settle()

    def _settle(self) -> None:
        while self._place < len(self._order):
            key, step = self._order[self._place]
            self._end_steps(step - 1)
            if key not in self._results:
                return
            self._place += 1
            if (game := self._results[key]) is not None:
                self.settled.append(game)
        self._end_steps(self.steps)

    def _end_steps(self, number: int) -> None:
        while len(self.settled_steps) < number:
            self.settled_steps.append(len(self.settled))


def game_id(seed: int, first: str, second: str, turn: int) -> str:
    """Return the id of the game that `first` begins against `second` with the opening number `turn`, from 0.

    It depends on names, not on places, so players added later change no id. Sixteen hexadecimal digits.
    """
    text = "\n".join((str(seed), first, second, str(turn)))
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


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
