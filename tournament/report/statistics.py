"""Counts: scores by pair, by colour and by opening, ends of games, failures and time by player."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from fiedler.games.game import START
from fiedler.games.openings import Opening
from fiedler.games.result import Result
from fiedler.games.score import interval, score_text
from fiedler.tournament.game import GameRecord
from fiedler.tournament.play.final_scores import scored_otherwise
from fiedler.tournament.report.run import Run
from fiedler.tournament.termination import FAILURES, Termination

Matrix = NDArray[np.float64]
Counts = NDArray[np.int64]

SIGNIFICANT = 3.0
"""Standard errors from one half of a one-sided opening; the threshold is high because there are many openings."""


@dataclass(frozen=True)
class Crosstable:
    """Wins, draws and losses of the player of each row against that of each column, (N, N) in the order of `names`."""

    names: tuple[str, ...]
    wins: Counts
    draws: Counts
    losses: Counts

    @property
    def games(self) -> Counts:
        """Games of every pair."""
        return self.wins + self.draws + self.losses

    @property
    def scores(self) -> Matrix:
        """Points per game of the row's player, 0 to 1; nan for a pair that never met."""
        games = self.games
        return np.where(games > 0, (self.wins + 0.5 * self.draws) / np.maximum(games, 1), np.nan)


def crosstable(run: Run, names: Sequence[str]) -> Crosstable:
    """Count the results of every pair."""
    place = {name: index for index, name in enumerate(names)}
    wins, draws = np.zeros((2, len(names), len(names)), dtype=np.int64)
    for first, second, first_wins, drawn, second_wins in run.results.rows:
        i, j = place[run.results.names[first]], place[run.results.names[second]]
        wins[i, j] += first_wins
        wins[j, i] += second_wins
        draws[i, j] += drawn
        draws[j, i] += drawn
    return Crosstable(tuple(names), wins, draws, wins.T.copy())


@dataclass
class Outcomes:
    """The outcomes of some games, from the view of the player that moved first."""

    wins: int = 0
    draws: int = 0
    losses: int = 0

    def add(self, result: Result) -> None:
        """Count a game."""
        self.wins += result == Result.FIRST_WIN
        self.draws += result == Result.DRAW
        self.losses += result == Result.SECOND_WIN

    def merge(self, other: Outcomes) -> None:
        """Count the games of another."""
        self.wins, self.draws, self.losses = (
            self.wins + other.wins,
            self.draws + other.draws,
            self.losses + other.losses,
        )

    @property
    def games(self) -> int:
        """Number of games."""
        return self.wins + self.draws + self.losses

    @property
    def score(self) -> float:
        """Points per game, 0 to 1; nan without games."""
        return (self.wins + 0.5 * self.draws) / self.games if self.games else math.nan

    @property
    def error(self) -> float:
        """Standard error of the score; half a win and half a loss are added, so that few games never look certain."""
        if not self.games:
            return math.nan
        mean = (self.wins + 0.5 * self.draws + 0.5) / (self.games + 1)
        square = (self.wins + 0.25 * self.draws + 0.5) / (self.games + 1)
        return math.sqrt(max(0.0, square - mean * mean) / self.games)

    @property
    def interval(self) -> tuple[float, float]:
        """The 95 % interval of the score."""
        return interval(self.wins + 0.5 * self.draws, self.wins + 0.25 * self.draws, self.games)

    def text(self, digits: int = 0) -> str:
        """Return the score with its interval as text."""
        return score_text(self.score, self.interval, digits)

    @property
    def sigmas(self) -> float:
        """Distance of the score from one half, in standard errors."""
        return (self.score - 0.5) / self.error if self.games and self.error else 0.0


@dataclass
class Failing:
    """The games that one player lost by one kind of failure, and the detail of the last of them."""

    games: int = 0
    number: int = 0
    """of the last one"""
    detail: str = ""
    finished: str = ""

    def add(self, game: GameRecord) -> None:
        """Count a game."""
        self.games += 1
        if game.finished >= self.finished:
            self.number, self.detail, self.finished = game.number, game.detail, game.finished


@dataclass
class Behaviour:
    """The behaviour of one player: games lost by a failure, by kind, and its time."""

    name: str
    games: int = 0
    first: int = 0
    turns: int = 0
    """Moves after the opening, with those that were late."""
    seconds: float = 0.0
    failures: dict[Termination, Failing] = field(default_factory=lambda: {kind: Failing() for kind in FAILURES})

    @property
    def failed(self) -> int:
        """Games lost by a failure."""
        return sum(kind.games for kind in self.failures.values())

    @property
    def seconds_per_move(self) -> float:
        """Mean wall time of a turn; nan without any."""
        return self.seconds / self.turns if self.turns else math.nan


class GameTally:
    """Counts over all games, from one pass."""

    def __init__(self, names: Iterable[str], start: str = START) -> None:
        """Count games that begin at `start`, or at other positions of openings."""
        self._start = start
        self.outcomes = Outcomes()
        self.plies: Counter[int] = Counter()
        """Games by length in plies, with the opening."""
        self.openings: defaultdict[str, Outcomes] = defaultdict(Outcomes)
        """Outcomes by the words of the opening."""
        self.beginnings: defaultdict[tuple[str, ...], Outcomes] = defaultdict(Outcomes)
        """Outcomes by the first two moves from the start of the game, with those of the opening."""
        self.endings: Counter[tuple[str, str]] = Counter()
        """Games by termination, and by the rule that ended them."""
        self.scored = self.scored_otherwise = 0
        """Games to which a player gave a score by `final_score`, and those in which one is not ours."""
        self.players = {name: Behaviour(name) for name in names}
        self.last_finished = ""

    def add(self, game: GameRecord) -> None:
        """Count a game."""
        self.outcomes.add(game.result)
        self.plies[len(game.moves)] += 1
        start = START if game.start == self._start else game.start
        self.openings[str(Opening(game.opening, start))].add(game.result)
        if start == START:
            self.beginnings[game.moves[:2]].add(game.result)
        self.endings[game.termination, game.detail if game.termination == Termination.RULES else ""] += 1
        if game.termination == Termination.RULES and (otherwise := scored_otherwise(game.detail)) is not None:
            self.scored += 1
            self.scored_otherwise += otherwise
        self.last_finished = max(self.last_finished, game.finished)
        self.players[game.first].first += 1
        for side, (name, time) in enumerate(((game.first, game.seconds_first), (game.second, game.seconds_second))):
            player = self.players[name]
            player.games += 1
            player.turns += game.moves_of(side)
            player.seconds += time
        if game.loser is not None and game.termination in FAILURES:
            loser = self.players[game.loser]
            loser.failures[game.termination].add(game)
            loser.turns += game.termination == Termination.TIME

    @property
    def lengths(self) -> tuple[int, float, int]:
        """Shortest, mean and longest game in plies; 0 without games."""
        games = sum(self.plies.values())
        mean = sum(length * count for length, count in self.plies.items()) / max(games, 1)
        return min(self.plies, default=0), mean, max(self.plies, default=0)

    def one_sided(self) -> list[tuple[str, Outcomes]]:
        """Return the openings by falling distance of their score from one half, in standard errors."""
        return sorted(self.openings.items(), key=lambda item: (-abs(item[1].sigmas), item[0]))


def tally(games: Iterable[GameRecord], names: Iterable[str], start: str = START) -> GameTally:
    """Count all games of a run that begin at `start`, or at other positions of openings."""
    found = GameTally(names, start)
    for game in games:
        found.add(game)
    return found
