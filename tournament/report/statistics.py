"""Counts of what happened: scores by pair, by colour, and failures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tournament.report.run import Run
from tournament.store import FAILURES, GameRecord

Matrix = NDArray[np.float64]
Counts = NDArray[np.int64]


@dataclass(frozen=True)
class Crosstable:
    """Wins, draws and losses of the player of each row against that of each column, (N, N) in the order of `names`."""

    names: tuple[str, ...]
    wins: Counts
    draws: Counts
    losses: Counts

    @property
    def games(self) -> Counts:
        """Games between each two players."""
        return self.wins + self.draws + self.losses

    @property
    def scores(self) -> Matrix:
        """Points per game of the row's player, 0 to 1; nan where the two never met."""
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


@dataclass(frozen=True)
class Colours:
    """How often the player that moved first won, and how long games took."""

    games: int
    first_wins: int
    draws: int
    second_wins: int
    plies: tuple[int, float, int]
    """Shortest, mean and longest game, openings included."""

    @property
    def first_score(self) -> float:
        """Points per game of the first player, 0 to 1; nan without games."""
        return (self.first_wins + 0.5 * self.draws) / self.games if self.games else float("nan")

    @property
    def first_error(self) -> float:
        """Standard error of that score."""
        if not self.games:
            return float("nan")
        mean = self.first_score
        square = (self.first_wins + 0.25 * self.draws) / self.games
        return float(np.sqrt(max(0.0, square - mean * mean) / self.games))


def colours(games: Sequence[GameRecord]) -> Colours:
    """Count results from the first player's view."""
    results = Counter(game.result for game in games)
    lengths = [len(game.moves) for game in games] or [0]
    plies = (min(lengths), sum(lengths) / len(lengths), max(lengths))
    return Colours(len(games), results["1-0"], results["1/2-1/2"], results["0-1"], plies)


@dataclass(frozen=True)
class Behaviour:
    """How one player behaved: the games it lost by a failure, by kind, and the time it took."""

    name: str
    games: int
    first: int
    failures: dict[str, int]
    seconds_per_move: float
    """Mean wall time of a move after the opening; nan without moves."""


def behaviour(games: Sequence[GameRecord], names: Sequence[str]) -> list[Behaviour]:
    """Collect every player's failures, colours and mean time, in the order of `names`."""
    played, first, moves = (Counter[str]() for _ in range(3))
    spent: dict[str, float] = dict.fromkeys(names, 0.0)
    failures = {name: dict.fromkeys(FAILURES, 0) for name in names}
    for game in games:
        first[game.first] += 1
        for side, (name, time) in enumerate(((game.first, game.seconds_first), (game.second, game.seconds_second))):
            played[name] += 1
            moves[name] += len(range(len(game.opening), len(game.moves))[(len(game.opening) + side) % 2 :: 2])
            spent[name] += time
        if game.loser is not None and game.termination in FAILURES:
            failures[game.loser][game.termination] += 1
    return [
        Behaviour(
            name, played[name], first[name], failures[name], spent[name] / moves[name] if moves[name] else float("nan")
        )
        for name in names
    ]
