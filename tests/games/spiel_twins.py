"""Games that both the core and OpenSpiel have, played side by side by the same random moves."""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

from fiedler import games
from fiedler.games.board import filled_cell, sheet, spot
from fiedler.games.openspiel import SpielPosition, loaded_game
from fiedler.native import Position

Actions = tuple[int, ...]
"""The library's actions for one move of ours: in ultimate tic-tac-toe two where the board is free."""


@dataclass(frozen=True, slots=True)
class Twin:
    """A game of the core, the same of the library, and the actions of a move."""

    ours: str
    theirs: str
    of: Callable[[Position, int], Actions]
    """The library's actions of a move in our start position."""

    @property
    def actions(self) -> Mapping[int, Actions]:
        """The actions of every move: it means the same in every position, and all are legal at the start."""
        return _table(self)


@cache
def _table(twin: Twin) -> Mapping[int, Actions]:
    start = games.game(twin.ours).position()
    return {move: twin.of(start, move) for move in start.legal_moves()}


def _column(start: Position, move: int) -> Actions:
    return (ord(start.move_text(move)) - ord("a"),)


def _cell(start: Position, move: int) -> Actions:
    row, column = spot(start, filled_cell(start, move))
    return (row * sheet(start)[1] + column,)


def _local(start: Position, move: int) -> Actions:
    """Return the local board and the cell, both row by row from the top left."""
    row, column = spot(start, filled_cell(start, move))
    return row // 3 * 3 + column // 3, row % 3 * 3 + column % 3


TWINS = (
    Twin("tictactoe", "tic_tac_toe", _cell),
    Twin("connect4", "connect_four", _column),
    Twin("uttt", "ultimate_tic_tac_toe", _local),
    Twin("gomoku9", "gomoku(size=9)", _cell),
    Twin("gomoku15", "gomoku(size=15)", _cell),
    Twin("gomoku20", "gomoku(size=20)", _cell),
)


def difference(twin: Twin, seed: int) -> str:
    """Play a random game in both; return the first difference, with the moves to it; empty if there is none."""
    game, rng = games.game(twin.ours), random.Random(seed)
    position, other = game.position(), loaded_game(f"openspiel:{twin.theirs}").position()
    moves = list[str]()
    while not (found := _compared(twin, position, other)) and position.result is None:
        move = rng.choice(position.legal_moves())
        moves.append(position.move_text(move))
        for action in _played(twin, other, move):
            other.play(action)
        position.play(move)
    return f"{found} after {' '.join(moves)}" if found else ""


def differences(twin: Twin, seeds: Sequence[int]) -> list[str]:
    """Return the differences in random games of these seeds."""
    return [found for seed in seeds if (found := difference(twin, seed))]


def _played(twin: Twin, other: SpielPosition, move: int) -> Actions:
    """Return the actions of a move: without the board where the library knows it."""
    actions = twin.actions[move]
    return actions if len(actions) == 1 or _is_free(other) else actions[1:]


def _is_free(other: SpielPosition) -> bool:
    return other.move_text(other.legal_moves()[0]).startswith("Choose")


def _compared(twin: Twin, position: Position, other: SpielPosition) -> str:
    """Return the difference of two positions: their ends, sides to move or legal moves."""
    if position.result != other.result:
        return f"result: we {position.result}, they {other.result}"
    if position.result is not None:
        return ""
    if position.side_to_move != other.side_to_move:
        return f"side to move: we {position.side_to_move}, they {other.side_to_move}"
    moves, actions = position.legal_moves(), twin.actions
    if len(actions[moves[0]]) == 1 and sorted(actions[move][0] for move in moves) == other.legal_moves():
        return ""  # the same as below, but quicker
    ours = {_played(twin, other, move) for move in moves}
    theirs = _moves(other) if len(actions[moves[0]]) > 1 else {(action,) for action in other.legal_moves()}
    return "" if ours == theirs else f"legal moves: only we {sorted(ours - theirs)}, only they {sorted(theirs - ours)}"


def _moves(other: SpielPosition) -> set[Actions]:
    """Return the library's moves in ultimate tic-tac-toe."""
    if not _is_free(other):
        return {(action,) for action in other.legal_moves()}
    found = set[Actions]()
    for board in other.legal_moves():
        chosen = other.copy()
        chosen.play(board)
        found |= {(board, cell) for cell in chosen.legal_moves()}
    return found
