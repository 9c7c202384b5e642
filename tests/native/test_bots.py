"""osp and hsp against their definition, written out on the slow model of the rules."""

from __future__ import annotations

from functools import cache
from itertools import product

import pytest

from fiedler import native
from fiedler.games import FILLED
from tests.native.naive import Grid, Place, model
from tests.native.positions import random_positions, some_positions


def result_after(position: native.Position, move: int) -> native.Position:
    child = position.copy()
    child.play(move)
    return child


def wins(position: native.Position) -> list[int]:
    won = 1 if position.side_to_move == 0 else -1
    return [move for move in position.legal_moves() if result_after(position, move).result == won]


def sensible(position: native.Position) -> list[int]:
    if wins(position):
        return wins(position)
    safe = [move for move in position.legal_moves() if not wins(result_after(position, move))]
    return safe or position.legal_moves()


@cache
def model_of(game: str) -> Grid:
    """The slow model; only its board is used here: names, places, lines."""
    found = model(game)
    assert isinstance(found, Grid)
    return found


@cache
def lines_through(game: str, place: Place) -> list[list[Place]]:
    return [line for line in model_of(game).lines if place in line]


def line_sums(stones: dict[Place, int], lines: list[list[Place]]) -> int:
    total = 0
    for line, side in product(lines, (1, 2)):
        owners = [stones.get(place, 0) for place in line]
        if 3 - side not in owners:
            total += int(4 ** owners.count(side))
    return total


def line_score(position: native.Position, move: int) -> int:
    if position.game.startswith("uttt"):
        return ultimate_line_score(position, move)
    board = model_of(position.game)
    board.stones = {place: owner for place, owner in zip(board.places, position.cells, strict=True) if owner}
    return line_sums(board.stones, lines_through(position.game, board.place(position.move_text(move))))


def ultimate_line_score(position: native.Position, move: int) -> int:
    """The local lines, and nine times those of the local board on the big one."""
    board, cell = (move // 27, move // 9 % 3), (move % 9 // 3, move % 3)
    stones = {(i // 9, i % 9): owner for i, owner in enumerate(position.cells)}
    local: dict[Place, int] = {(r % 3, c % 3): owner for (r, c), owner in stones.items() if (r // 3, c // 3) == board}
    signs = str(position).split(";")[1]
    macro: dict[Place, int] = {(i // 3, i % 3): " XO".index(sign) for i, sign in enumerate(signs) if sign in "XO"}
    return line_sums(local, lines_through("tictactoe", cell)) + 9 * line_sums(macro, lines_through("tictactoe", board))


def running(game: str, games: int, seed: int) -> list[native.Position]:
    """Some positions; few where a position has many moves, each of them with as many answers."""
    most = 10_000 // native.Position(game).num_actions
    return [position for position in some_positions(game, games, seed, most) if position.result is None]


def test_osp_plays_every_sensible_move_and_no_other(game: str) -> None:
    for position in running(game, 3, seed=1):
        expected = sensible(position)
        chosen = {native.choose_osp(position, seed) for seed in range(30)}
        assert chosen <= set(expected)
        assert len(chosen) > 1 or len(expected) == 1


@pytest.mark.numbers
@pytest.mark.parametrize("game", FILLED)
def test_hsp_plays_the_sensible_moves_of_the_highest_line_sum(game: str) -> None:
    for position in running(game, 4, seed=2):
        candidates = sensible(position)
        if not position.fills_cells:  # no lines, so osp's choice
            assert all(native.choose_hsp(position, seed) == native.choose_osp(position, seed) for seed in range(12))
            continue
        highest = max(line_score(position, move) for move in candidates)
        expected = {move for move in candidates if line_score(position, move) == highest}
        assert {native.choose_hsp(position, seed) for seed in range(12)} <= expected


@pytest.mark.numbers
def test_same_seed_same_move(game: str) -> None:
    for position in running(game, 1, seed=3):
        for choose in (native.choose_osp, native.choose_hsp):
            assert choose(position, 5) == choose(position, 5)


def test_bots_refuse_a_finished_game(game: str) -> None:
    over = random_positions(game, 1, seed=4)[-1]
    for choose in (native.choose_osp, native.choose_hsp):
        with pytest.raises(native.IllegalMoveError, match="the game is over"):
            choose(over, 1)
