"""A player of a run, and a pair of players, as JSON: their results by side, their failures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from fiedler.games.result import Result
from fiedler.games.score import interval, score_text
from fiedler.tournament.run.records import GameFilter
from fiedler.tournament.run.store import Store
from fiedler.tournament.termination import FAILURES, Termination

Sides = list[list[int]]
"""Wins, draws, losses of a player in the games that it began, and in the others."""


def player_document(store: Store, name: str) -> dict[str, Any] | None:
    """Return the results of a player; None if there is no such player."""
    players = store.players
    if name not in players:
        return None
    state = _state(store)  # first: the last results of a run are there before its end
    against: dict[str, Sides] = {}
    failures = Counter[Termination]()
    for opponent, side, place, termination, count in _rows(store, GameFilter(name)):
        against.setdefault(opponent, _no_games())[side][place] += count
        if termination in FAILURES and place == 2:
            failures[termination] += count
    return {
        "player": name,
        "players": players,
        **state,
        "benched": store.benched.get(name, ""),
        "absent": store.absent.get(name, ""),
        "sides": _sum(against.values()),
        "opponents": [{"name": other, "sides": against[other]} for other in players if other in against],
        "failures": failures,
    }


def pair_document(store: Store, name: str, opponent: str) -> dict[str, Any] | None:
    """Return the results of a player against another one; None if one of them is unknown, or both are the same."""
    players = store.players
    if name == opponent or not {name, opponent} <= {*players}:
        return None
    state = _state(store)
    sides = _no_games()
    failures: dict[str, Counter[Termination]] = {name: Counter(), opponent: Counter()}
    for _, side, place, termination, count in _rows(store, GameFilter(name, opponent)):
        sides[side][place] += count
        if termination in FAILURES:
            failures[name if place else opponent][termination] += count
    return {
        "player": name,
        "opponent": opponent,
        "players": players,
        **state,
        "sides": sides,
        "score": _score(sides),
        "failures": failures,
    }


def _state(store: Store) -> dict[str, Any]:
    """Return the state of the run, and its finished games."""
    return {"state": store.state, "finished": store.counts.finished}


def _rows(store: Store, chosen: GameFilter) -> Iterator[tuple[str, int, int, Termination, int]]:
    """Yield opponent, side (0: first), place (0, 1, 2: win, draw, loss), termination, number of games."""
    for first, second, result, termination, count in store.results_of(chosen):
        side = int(second == chosen.player)
        won = Result.won_by(side)
        place = 1 if result == Result.DRAW else 0 if result == won else 2
        yield first if side else second, side, place, Termination(termination), count


def _no_games() -> Sides:
    return [[0, 0, 0], [0, 0, 0]]


def _sum(many: Any) -> Sides:  # noqa: ANN401 - values of a dict
    found = _no_games()
    for sides in many:
        for side, counts in enumerate(sides):
            found[side] = [sum(pair) for pair in zip(found[side], counts, strict=True)]
    return found


def _score(sides: Sides) -> str:
    """Return the score of the player with its 95 % interval; empty without games."""
    wins, draws, losses = (sum(pair) for pair in zip(*sides, strict=True))
    games = wins + draws + losses
    if not games:
        return ""
    bounds = interval(wins + draws / 2, wins + draws / 4, games)
    return score_text((wins + draws / 2) / games, bounds)
