"""The games of a tournament, each meeting with both colours, each game with a permanent id."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from msgspec import Struct

from fiedler.games.openings import Opening
from fiedler.games.result import Result
from fiedler.tournament.dispute import Dispute
from fiedler.tournament.game import PlannedGame
from fiedler.tournament.pairing.chosen_player import Standing
from fiedler.tournament.schedule.pairs import Pair


class Played(NamedTuple):
    """A finished game, for pairing."""

    first: str
    second: str
    result: Result
    step: int
    turn: int
    failed: bool = False
    """Whether the loser lost by a failure that counts for `bench_after`, such as a crash or an illegal move."""

    @property
    def loser(self) -> str | None:
        """The name of the loser, None after a draw."""
        return self.result.loser(self.first, self.second)


class Decision(Struct, frozen=True):
    """The final result of a sequential test or of a stopping rule; later games do not change it."""

    why: str
    """The result as a sentence."""
    games: int
    """Number of finished games that it is based on, in the order of the plan."""
    test: str = ""
    """The line of a sequential test after these games."""
    standing: Standing | None = None
    """The chosen player of a goal."""


GameKey = tuple[str, str, int]
"""First player, second player, turn: these identify a game."""


class History:
    """The planned and finished games of a run.

    Decisions are based on `settled`, in the order of the plan, because games may end in any order.
    """

    def __init__(self) -> None:
        self.pairs: dict[frozenset[str], Pair] = {}
        """The chosen pairs, in the order of the choice."""
        self.targets: Counter[frozenset[str]] = Counter()
        """Number of meetings of each chosen pair in all."""
        self.meetings: Counter[frozenset[str]] = Counter()
        """Planned meetings of every pair, two games each."""
        self.places: dict[frozenset[str], int] = {}
        """Index of every pair in the order of the first meetings, from 0."""
        self.finished: list[Played] = []
        """Finished games in the order of their ends."""
        self.settled: list[Played] = []
        """Finished games in the order of the plan, up to the first pending one, without games given up."""
        self.settled_steps: list[int] = []
        """Number of settled games at the end of every step whose games are all settled."""
        self.undecided = 0
        """Number of first steps of the plan that decided nothing."""
        self.decision: Decision | None = None
        self.standing: Standing | None = None
        """The chosen player of a goal after the last step that was judged."""
        self.benched: set[str] = set()
        """Players without further games."""
        self.away: set[str] = set()
        """Those of them that are only away, and not benched."""
        self.disputes: list[Dispute] = []
        """The games without a result, whose players did not agree on the rules."""
        self.forgiven: dict[str, int] = {}
        """Finished games at the readmission of each player; failures in them do not bench it again."""
        self.planned = 0
        """Number of planned games, including those that were given up."""
        self.steps = 0
        """Number of steps of the plan so far."""
        self._elsewhere = 0
        """Number of games that other shards of the run play."""
        self._order: list[tuple[GameKey, int]] = []
        self._results: dict[GameKey, Played | None] = {}
        self._place = 0

    def choose(self, pairs: Mapping[Pair, int]) -> None:
        """Record chosen pairs and their total numbers of meetings."""
        for pair, target in pairs.items():
            self.pairs.setdefault(frozenset(pair), pair)
            self.targets[frozenset(pair)] = target

    def plan(self, games: Iterable[PlannedGame]) -> None:
        """Record planned games."""
        for game in games:
            pair = frozenset((game.first, game.second))
            self.places.setdefault(pair, len(self.places))
            self.meetings[pair] = max(self.meetings[pair], game.turn + 1)
            self.steps = max(self.steps, game.step)
            self.planned = max(self.planned, game.number)
            self._order.append(((game.first, game.second, game.turn), game.step))

    def finish(self, game: Played) -> None:
        """Record a finished game."""
        self.finished.append(game)
        self._results[game.first, game.second, game.turn] = game
        self._settle()

    def has(self, game: Played) -> bool:
        """Return whether this game is recorded as finished."""
        return self._results.get((game.first, game.second, game.turn)) is not None

    @property
    def given_up(self) -> int:
        """The number of games that will not be played."""
        return sum(game is None for game in self._results.values()) - self._elsewhere

    def give_up(self, games: Iterable[PlannedGame]) -> None:
        """Record games that will not be played."""
        for game in games:
            self._results.setdefault((game.first, game.second, game.turn), None)
        self._settle()

    def leave(self, games: Sequence[PlannedGame]) -> None:
        """Record planned games that other shards of the run play."""
        self._elsewhere += len(games)
        self.give_up(games)

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
    """Return the id of the game of `first` against `second` with opening number `turn`, from 0.

    It has sixteen hexadecimal digits. It depends on names, not on indices, so further players do not change it.
    """
    text = "\n".join((str(seed), first, second, str(turn)))
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()


def plan(
    meetings: Iterable[Pair], opening: Callable[[int], Opening], seed: int, history: History, step: int
) -> Iterator[PlannedGame]:
    """Yield the two games of each of the `meetings` after `history`: one opening, colours reversed.

    `opening(number)` is the opening of that number, from 0, in a cyclic list. The first pair starts at the beginning of
    the list, the second pair at the second opening, and so on. So a pair repeats an opening only after the whole list,
    and pairs with one meeting have different openings.
    """
    number = history.planned
    places = dict(history.places)
    met = Counter[frozenset[str]]()
    for a, b in meetings:
        pair = frozenset((a, b))
        turn = history.meetings[pair] + met[pair]
        met[pair] += 1
        moves, start = opening(places.setdefault(pair, len(places)) + turn)
        for first, second in ((a, b), (b, a)):
            number += 1
            yield PlannedGame(game_id(seed, first, second, turn), number, first, second, moves, step, turn, start)


def in_rounds(pairs: Iterable[Pair]) -> Iterator[Pair]:
    """Yield pairs so that neighbours share no player if possible: concurrent games then have different players."""
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
