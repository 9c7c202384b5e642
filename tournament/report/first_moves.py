"""First moves and the replies to them; moves that are the same up to rotation and reflection count together."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from fiedler.games import Game
from fiedler.games.board import changed_cells
from fiedler.games.position import Grid, Symmetric
from fiedler.tournament.report.statistics import Outcomes


@dataclass
class FirstMoves:
    """First moves that are the same up to symmetry, and the outcomes of their games."""

    moves: tuple[str, ...]
    cells: tuple[int, ...]
    """The cells of their stones, as in `Grid.cells`; none of a pass."""
    name: str = ""
    """Their common name, such as `corner`; empty without one."""
    outcomes: Outcomes = field(default_factory=Outcomes)


@dataclass
class TwoPlies:
    """Replies to a first move that are the same up to symmetry; those to symmetric first moves are one class."""

    moves: tuple[str, ...]
    """The most frequent two moves of the class."""
    position: Grid
    replies: int
    """Number of second moves of the class, after a given first move."""
    first: FirstMoves
    outcomes: Outcomes = field(default_factory=Outcomes)


def first_moves(game: Game, beginnings: Mapping[tuple[str, ...], Outcomes]) -> list[FirstMoves]:
    """Return the classes of all legal first moves, the most frequent first."""
    start = game.position()
    classes: dict[int, list[tuple[str, tuple[int, ...]]]] = {}
    for move in start.legal_moves():
        child = start.copy()
        child.play(move)
        changed = tuple(changed_cells(start.cells, child.cells))
        classes.setdefault(min(_images(game, start, move)), []).append((start.move_text(move), changed))
    made = [_class(game, found) for found in classes.values()]
    of_move = {move: one for one in made for move in one.moves}
    for moves, outcomes in beginnings.items():
        if moves:
            of_move[moves[0]].outcomes.merge(outcomes)
    return sorted(made, key=lambda one: -one.outcomes.games)


def second_moves(game: Game, beginnings: Mapping[tuple[str, ...], Outcomes]) -> list[TwoPlies]:
    """Return the classes of played replies, the most frequent first."""
    start = game.position()
    of_move = {move: one for one in first_moves(game, beginnings) for move in one.moves}
    found: dict[tuple[int, int], TwoPlies] = {}
    most = sorted(beginnings.items(), key=lambda item: (-item[1].games, item[0]))
    for moves, outcomes in most:
        if len(moves) != 2:
            continue
        position = game.position(moves=moves[:1])
        first, second = start.parse_move(moves[0]), position.parse_move(moves[1])
        # A pair of moves is equivalent to its images; the smallest one represents all.
        images = list(zip(_images(game, start, first), _images(game, start, second), strict=True))
        if (key := min(images)) not in found:
            position.play(second)
            replies = len({reply for image, reply in images if image == first})
            found[key] = TwoPlies(moves, position, replies, of_move[moves[0]])
        found[key].outcomes.merge(outcomes)
    return sorted(found.values(), key=lambda one: -one.outcomes.games)


def _images(game: Game, start: Symmetric, move: int) -> list[int]:
    """Return the image of a move under each symmetry of the board."""
    return [start.transformed_move(symmetry, move) for symmetry in game.board_symmetries]


def _class(game: Game, found: list[tuple[str, tuple[int, ...]]]) -> FirstMoves:
    moves = tuple(name for name, _ in found)
    cells = tuple(cell for _, changed in found for cell in changed)
    return FirstMoves(moves, cells, next((name for move, name in game.first_moves if move in moves), ""))
