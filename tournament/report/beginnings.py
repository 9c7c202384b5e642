"""First moves and positions after two plies, those that are symmetric to each other counted as one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from games import Game
from games.board import changed_cell
from native import Position
from tournament.openings import canonical_key
from tournament.report.statistics import Outcomes


@dataclass
class FirstMoves:
    """First moves that the symmetries of the game make one, and what came of the games that began so."""

    moves: tuple[str, ...]
    cells: tuple[int, ...]
    """The cells, as in `Position.cells`, on which their stones come to lie."""
    outcomes: Outcomes = field(default_factory=Outcomes)


@dataclass
class TwoPlies:
    """Positions after two plies that are symmetric to each other; `position` is the one that was played most."""

    moves: tuple[str, ...]
    position: Position
    outcomes: Outcomes = field(default_factory=Outcomes)


def first_moves(game: Game, beginnings: Mapping[tuple[str, ...], Outcomes]) -> list[FirstMoves]:
    """Return the classes of all first moves that the rules allow, the most played first."""
    start = game.position()
    classes: dict[int, list[tuple[str, int]]] = {}
    for move in start.legal_moves():
        child = start.copy()
        child.play(move)
        found = (start.move_text(move), changed_cell(start.cells, child.cells))
        classes.setdefault(canonical_key(child), []).append(found)
    made = [
        FirstMoves(tuple(move for move, _ in found), tuple(cell for _, cell in found)) for found in classes.values()
    ]
    of_move = {move: one for one in made for move in one.moves}
    for moves, outcomes in beginnings.items():
        if moves:
            of_move[moves[0]].outcomes.merge(outcomes)
    return sorted(made, key=lambda one: -one.outcomes.games)


def second_moves(game: Game, beginnings: Mapping[tuple[str, ...], Outcomes]) -> list[TwoPlies]:
    """Return the classes of positions after two plies that were reached, the most played first."""
    found: dict[int, TwoPlies] = {}
    most = sorted(beginnings.items(), key=lambda item: (-item[1].games, item[0]))
    for moves, outcomes in most:
        if len(moves) == 2:
            position = game.position(moves=moves)
            found.setdefault(canonical_key(position), TwoPlies(moves, position)).outcomes.merge(outcomes)
    return sorted(found.values(), key=lambda one: -one.outcomes.games)
