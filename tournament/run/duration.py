"""How long the games of a schedule take: an estimate from the limit, with the assumptions that it rests on."""

from __future__ import annotations

import random
from typing import NamedTuple

from fiedler import games
from fiedler.support.text import counted, duration
from fiedler.tournament.schedule.schedule import LimitSection, Schedule

PLIES = {
    "tictactoe": 8,
    "connect4": 34,
    "uttt": 54,
    "uttt-majority": 51,
    "cube": 47,
    "gomoku9": 28,
    "gomoku15": 33,
    "gomoku20": 27,
    "standard15": 31,
    "renju15": 36,
    "chess": 152,
    "chess960": 174,
    "go9": 105,
    "go13": 232,
    "go19": 544,
}
"""Mean plies of a game, with two random plies: 30 games of `mcts` with 400 nodes against itself, 10 of `go19`."""
RANDOM_GAMES = 10
"""The random games whose mean plies are those of another game."""
MOST_PLIES = 400
"""Plies after which such a game is cut off."""


class Estimate(NamedTuple):
    """The time that games take."""

    seconds: float | None
    """None if the limit sets no time, or the usual length of the game is unknown."""
    text: str
    """The time with its assumptions, as a sentence without a full stop."""


def estimate(schedule: Schedule, games: int, at_once: int, each_s: float | None = None) -> Estimate:
    """Estimate the time of these games, `at_once` of them at the same time.

    `each_s` are the seconds that a game of this run took so far, all games at a time included; None without any.
    """
    count = counted(games, "game")
    if each_s is not None:
        return Estimate(round(games * each_s, 1), f"about {duration(games * each_s)} for {count}, at the pace so far")
    if (plies := _plies(schedule)) is None:
        unknown = f"no estimate, since the usual length of a game of {schedule.tournament.game} is unknown"
        return Estimate(None, f"{unknown}; a run shows the time left as it plays")
    seconds = _of_a_game(schedule.limit, plies)
    if seconds is None:
        kind = "nodes" if schedule.limit.nodes is not None else "plies of depth"
        return Estimate(None, f"no estimate, since {kind} set no time; a run shows the time left as it plays")
    total = games * seconds / max(1, min(at_once, games))
    together = "one at a time" if at_once == 1 else f"{at_once} at a time"
    about = f"about {duration(total)} for {count} of {counted(plies, 'ply')}, {together}"
    return Estimate(round(total, 1), f"{about}, {_assumed(schedule.limit)}")


def _plies(schedule: Schedule) -> int | None:
    """Return the usual plies of a game after its opening; None if its rules are unknown."""
    game, table = games.any_game(schedule.tournament.game), schedule.openings
    if not game.has_rules:
        return None
    usual = PLIES[game.id] if game.id in PLIES else _random_plies(game)
    longest = schedule.adjudication.max_plies
    return max(1, (usual if longest is None else min(usual, longest)) - max(0, table.plies - 2))


def _random_plies(game: games.AnyGame) -> int:
    """Return the mean plies of random games."""
    rng, plies = random.Random(game.id), 0
    for _ in range(RANDOM_GAMES):
        position, played = game.position(), 0
        while position.result is None and played < MOST_PLIES:
            position.play(rng.choice(position.legal_moves()))
            played += 1
        plies += played
    return plies // RANDOM_GAMES


def _of_a_game(limit: LimitSection, plies: int) -> float | None:
    if limit.movetime_ms is not None:
        return plies * limit.movetime_ms / 1000
    if limit.base_ms is not None:
        return (2 * limit.base_ms + plies * (limit.increment_ms or 0)) / 1000
    return None


def _assumed(limit: LimitSection) -> str:
    return "if every move takes its time" if limit.base_ms is None else "if both sides use their clocks up"
