"""The options of a design: checked once, and the sizes that follow from them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import get_args

import numpy as np

from fiedler.support.errors import nearest
from fiedler.tournament.graph import bounds, information
from fiedler.tournament.graph.errors import DesignError
from fiedler.tournament.graph.information import GameModel
from fiedler.tournament.graph.problem import Criterion, DegreeCap, DesignGoal
from fiedler.tournament.graph.spectrum import Edge

DEFAULT_GAMES = 2
"""Games per pair: one with each colour."""
MANY = 2000
"""Players up to which matrices of all pairs are used."""
_MOST_PLAYERS = 20_000
"""Players of the largest design. Memory grows with their square: 10,000 players take 0.9 GB."""
_MOST_PAIRS = 2_000_000
"""Pairs of the largest design of more than `MANY` players; 2,000 players form as many."""
_MOST_UNITS = 1_000_000
"""Units of freely distributed games; each is a row of the exchange."""


def game_model(advantage: float, draw_elo: float) -> GameModel:
    """Return the model of a game; raises DesignError."""
    if not np.isfinite(advantage):
        raise DesignError(f"advantage: expected a finite number, got {advantage}")
    if not 0 <= draw_elo < np.inf:
        raise DesignError(f"draw_elo: expected a number of at least 0, got {draw_elo}")
    return GameModel(float(advantage), float(draw_elo))


def check_goal(goal: DesignGoal, criterion: Criterion, games: int | None) -> None:
    """Refuse an unknown goal, and one without the options that it needs."""
    if goal not in get_args(DesignGoal):
        known = get_args(DesignGoal)
        raise DesignError(f"unknown goal {goal!r}{nearest(goal, known)}; known: {', '.join(known)}")
    if goal == "best" and (criterion != "precision" or games is None):
        raise DesignError("goal best: expected games, and the criterion precision")


def size_of(
    players: int,
    pairs: int | None,
    games: int | None,
    games_per_pair: int | None,
    criterion: Criterion,
    room: int,
    style_sd: float | None,
) -> tuple[int | None, int]:
    """Return the number of pairs, None for freely distributed games, and the games of a pair or of a unit.

    Raises:
        DesignError: the numbers contradict each other or are too large.
    """
    if criterion not in get_args(Criterion):
        known = get_args(Criterion)
        raise DesignError(f"unknown criterion {criterion!r}{nearest(criterion, known)}; known: {', '.join(known)}")
    if (pairs is None) == (games is None):
        raise DesignError("give either pairs or games")
    each = DEFAULT_GAMES if games_per_pair is None else games_per_pair
    if games is not None:
        _check_games(games, each)
        if criterion != "precision":
            pairs, each = _distributed(players, games, room, games_per_pair, style_sd)
    _check_size(players, pairs)
    return pairs, each


def units_of(games: int, each: int, degree_cap: DegreeCap) -> int:
    """Return the number of units of `each` games that are distributed freely."""
    if isinstance(degree_cap, int):
        raise DesignError("degree_cap limits pairs: leave it out if games are distributed freely")
    if games // each > _MOST_UNITS:
        raise DesignError(f"expected at most {_MOST_UNITS * each} games in units of {each}, got {games}")
    return games // each


def check_many(players: int, pairs: int | None, style_sd: float) -> None:
    """Refuse the options that are limited to fewer players."""
    if style_sd or pairs is None:
        option = "style_sd" if style_sd else "games distributed freely"
        raise DesignError(f"{option}: expected at most {MANY} players, got {players}")


def _check_games(games: int, each: int) -> None:
    if each < 1:
        raise DesignError(f"games_per_pair must be at least 1, got {each}")
    if games < each:
        raise DesignError(f"games must be at least {each}, the games of one pair, got {games}")


def _check_size(players: int, pairs: int | None) -> None:
    """Refuse sizes that take more memory than a machine has."""
    if players > _MOST_PLAYERS:
        raise DesignError(f"expected at most {_MOST_PLAYERS} players, got {players}")
    if pairs is not None and players > MANY and pairs > _MOST_PAIRS:
        raise DesignError(f"expected at most {_MOST_PAIRS} pairs for more than {MANY} players, got {pairs}")


def room_of(players: int, degree_cap: DegreeCap, forbidden: Sequence[Edge]) -> int:
    """Return the largest number of pairs within the options."""
    excluded = len({frozenset(pair) for pair in forbidden})
    cap = degree_cap if isinstance(degree_cap, int) else players
    return max(0, min(players * (players - 1) // 2 - excluded, players * cap // 2))


def _distributed(
    players: int, games: int, room: int, games_per_pair: int | None, style_sd: float | None
) -> tuple[int, int]:
    """Return the number of pairs and the games of each pair, `games` in all at most.

    Without `style_sd` (None) the number of pairs is as large as possible.
    """
    each = DEFAULT_GAMES if games_per_pair is None else games_per_pair
    pairs = max(1, min(games // each, room))
    if games_per_pair is not None or pairs < room:
        return pairs, each
    most = games // pairs // 2 * 2
    fuller = games // (most + 2)
    if style_sd is None or fuller < players - 1:
        return pairs, most
    alike = information.equal_strength()

    def error(number: int, games_each: int) -> float:
        of_pair = 1 / (games_each * alike) + style_sd**2
        return bounds.moment_trace(players, number, -(-2 * number // players)) * of_pair

    return min([(pairs, most), (fuller, most + 2)], key=lambda choice: error(*choice))


def names_of(players: int, names: Sequence[str]) -> tuple[str, ...]:
    """Return the names of the players, given and different, or by default; raises DesignError."""
    if names and len(names) != players:
        raise DesignError(f"{len(names)} names for {players} players")
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise DesignError(f"expected different names, got {twice[0]!r} more than once")
    return tuple(names) or tuple(f"player-{i + 1}" for i in range(players))
