"""The reason why a move is illegal, in the words of a player at the board."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeGuard

from fiedler.games.board import AIM, BLOCK_NAMES, Kind, block_of, block_signs, cell_name, named_cell, step_cells
from fiedler.games.errors import IllegalMoveError
from fiedler.games.position import Filling, Grid, Position, fills_cells, has_grid

if TYPE_CHECKING:
    from fiedler.games.game import AnyGame


def refusal(game: AnyGame, position: Position, text: str) -> str:
    """Return why `text` is not a legal move in a position, such as `play on the centre board`; empty if it is one.

    It is a move as people write it: `AnyGame.read_move`.
    """
    try:
        game.read_move(position, text)
    except IllegalMoveError as error:
        said = str(error).split(" in ")[0]
    else:
        return ""
    return "the game is over" if position.result is not None else reason(game, position, text) or said


def has_reasons(position: Position, game: AnyGame) -> TypeGuard[Filling]:
    """Return whether a move puts a stone on an empty cell, even if it takes others, and the game has its reasons."""
    on_points = game.board is Kind.POINTS and hasattr(position, "forbidden_moves")
    return game.board is not None and (fills_cells(position) or on_points)


def reason(game: AnyGame, position: Position, text: str) -> str:
    """Return why a move of the board is illegal, such as `column d is full`; empty for a legal one, and any other word.

    The game is not over. A game has no reasons if its moves neither put stones on the cells of a board nor are steps.
    """
    if game.steps and has_grid(position):
        return _step_reason(game, position, text)
    if not has_reasons(position, game):
        return ""
    names = map(position.move_text, range(position.num_actions))
    move = next((move for move, name in enumerate(names) if name == text), None)
    if move is None or move in position.legal_moves():
        return ""
    return _reason(game, position, move, text)


def _reason(game: AnyGame, position: Filling, move: int, name: str) -> str:
    """Return why a move of the board is illegal; empty if unknown."""
    cell = None if game.board is None else named_cell(position, game.board, name)
    if cell is None:
        return f"column {name} is full"
    if position.cells[cell]:
        return f"{name} is taken"
    if why := position.forbidden_moves().get(move):
        return f"{name} is forbidden for {game.sides[position.side_to_move]}: {why}"
    return _by_blocks(game, position, block_of(position, cell, game.blocks)) if game.blocks else ""


def _step_reason(game: AnyGame, position: Grid, text: str) -> str:
    """Return why a step is illegal; empty for a legal one, and any text without two cells."""
    step, legal = step_cells(position, text), [position.move_text(move) for move in position.legal_moves()]
    if step is None or text in legal:
        return ""
    (start, end), mover = (cell_name(position, cell) for cell in step), position.side_to_move
    if not (piece := position.cells[step[0]]):
        return f"{start} is empty"
    moved = game.pieces[piece - 1]
    about = f"the {moved.name or game.sides[moved.side]} on {start}"
    if moved.side != mover:
        return f"{about} cannot move: {game.sides[mover]} is to move"
    if longer := [name for name in legal if step_cells(position, name) == step]:
        return f"name the new piece: {', '.join(longer)}"
    return game.refused_steps(position).get(start + end) or f"{about} cannot go to {end}"


def _by_blocks(game: AnyGame, position: Position, block: int) -> str:
    """Return why no move may be on an empty cell of a block."""
    states = block_signs(position)
    playable = [place for place, state in enumerate(states) if state == (AIM if AIM in states else ".")]
    if len(playable) == 1:
        return f"play on the {BLOCK_NAMES[playable[0]]} board"
    return f"the {BLOCK_NAMES[block]} board is closed: {game.sides[states[block] == 'O']} has won it"
