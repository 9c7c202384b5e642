"""A player of a run, and a pair of players, as JSON: their results by side, their failures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Annotated, Any, TypedDict

from msgspec import Meta

from fiedler.games.result import Result
from fiedler.games.score import interval, score_text
from fiedler.tournament.run.records import GameFilter
from fiedler.tournament.run.store import Store
from fiedler.tournament.termination import FAILURES, Termination

SideCounts = Annotated[list[int], Meta(min_length=3, max_length=3)]
"""Wins, draws, losses."""
Sides = Annotated[list[SideCounts], Meta(min_length=2, max_length=2)]
"""Wins, draws, losses of a player in the games that it began, and in the others."""


class _RunPart(TypedDict):
    """What the documents about players have of their run."""

    state: str
    """`running`, `finished` or `interrupted`."""
    players: tuple[str, ...]
    """All players of the run."""


class AgainstOne(TypedDict):
    """The results of a player against another one."""

    name: str
    sides: Sides


class PlayerResults(_RunPart):
    """The results of a player."""

    player: str
    benched: str
    """Why it gets no more games; empty if it does."""
    absent: str
    """Why it is missing; empty if it is not."""
    sides: Sides
    """Wins, draws, losses in the games that it began, and in the others."""
    opponents: list[AgainstOne]
    failures: dict[str, int]
    """Termination -> its games that it lost by this failure."""


class PairResults(_RunPart):
    """The results of a pair, as the player sees them."""

    player: str
    opponent: str
    sides: Sides
    """Wins, draws, losses in the games that the player began, and in the others."""
    score: str
    """The score of the player with its 95 % interval; empty without games."""
    failures: dict[str, dict[str, int]]
    """Player -> termination -> games lost by this failure."""


def player_document(store: Store, name: str) -> tuple[PlayerResults, int] | None:
    """Return the results of a player, and the finished games of the run; None if there is no such player."""
    players = store.players
    if name not in players:
        return None
    state, finished = _state(store)  # first: the last results of a run are there before its end
    against: dict[str, Sides] = {}
    failures = Counter[str]()
    for opponent, side, place, termination, count in _rows(store, GameFilter(name)):
        against.setdefault(opponent, _no_games())[side][place] += count
        if termination in FAILURES and place == 2:
            failures[termination] += count
    document: PlayerResults = {
        "player": name,
        "players": players,
        "state": state,
        "benched": store.benched.get(name, ""),
        "absent": store.absent.get(name, ""),
        "sides": _sum(against.values()),
        "opponents": [{"name": other, "sides": against[other]} for other in players if other in against],
        "failures": {**failures},
    }
    return document, finished


def pair_document(store: Store, name: str, opponent: str) -> tuple[PairResults, int] | None:
    """Return the results of a player against another one, and the finished games of the run.

    None if one of them is unknown, or both are the same.
    """
    players = store.players
    if name == opponent or not {name, opponent} <= {*players}:
        return None
    state, finished = _state(store)
    sides = _no_games()
    failures: dict[str, Counter[str]] = {name: Counter(), opponent: Counter()}
    for _, side, place, termination, count in _rows(store, GameFilter(name, opponent)):
        sides[side][place] += count
        if termination in FAILURES:
            failures[name if place else opponent][termination] += count
    document: PairResults = {
        "player": name,
        "opponent": opponent,
        "players": players,
        "state": state,
        "sides": sides,
        "score": _score(sides),
        "failures": {player: {**counts} for player, counts in failures.items()},
    }
    return document, finished


def _state(store: Store) -> tuple[str, int]:
    """Return the state of the run, and its finished games."""
    return store.state, store.counts.finished


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
