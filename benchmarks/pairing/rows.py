"""Games in the order of play, as rows of numbers."""

from __future__ import annotations

import numpy as np

from fiedler.tournament.ratings import Results
from fiedler.tournament.ratings.pairs import Floats, Integers
from fiedler.tournament.simulation.play import SimulatedPlayers

Rows = Integers
"""Games in order, shape (games, 3): first player, second player, result 0 (first wins), 1 (draw) or 2."""
Meetings = Integers
"""Meetings in order, shape (meetings, 2): two games each, the first player of a row moves first in the first one."""


def meetings_of(pairs: list[tuple[int, int]]) -> Meetings:
    """Return pairs as meetings."""
    return np.array(pairs, dtype=np.int64).reshape(-1, 2)


def no_rows() -> Rows:
    """Return the rows before the first game."""
    return np.zeros((0, 3), dtype=np.int64)


def play(field: SimulatedPlayers, meetings: Meetings) -> Rows:
    """Return the games of these meetings, drawn one by one."""
    games = np.stack([meetings, meetings[:, ::-1]], axis=1).reshape(-1, 2)
    chances = np.cumsum(field.chances(games[:, 0].tolist(), games[:, 1].tolist()), axis=1)
    drawn = field.random.random(len(games))
    return np.column_stack([games, (drawn[:, None] > chances[:, :2]).sum(axis=1)])


def counts(rows: Rows, players: int) -> Integers:
    """Return wins, draws and losses of each ordered pair, shape (players, players, 3)."""
    size = (players, players, 3)
    place = np.ravel_multi_index((rows[:, 0], rows[:, 1], rows[:, 2]), size)
    return np.bincount(place, minlength=3 * players**2).reshape(size)


def results(rows: Rows, names: tuple[str, ...]) -> Results:
    """Return the games counted by ordered pair, for the ratings."""
    counted = counts(rows, len(names))
    table = [(int(i), int(j), *counted[i, j].tolist()) for i, j in np.argwhere(counted.any(axis=2))]
    return Results(names, tuple(table))


def points(rows: Rows, players: int) -> Floats:
    """Return the points of each player against each other, shape (players, players)."""
    counted = counts(rows, players)
    score = counted @ np.array([1.0, 0.5, 0.0])
    lost = counted @ np.array([0.0, 0.5, 1.0])
    return np.asarray(score + lost.T, dtype=np.float64)
