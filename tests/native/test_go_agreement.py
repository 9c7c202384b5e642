"""Go against the boards of sgfmill, another program: captures, illegal moves and areas in random games."""

from __future__ import annotations

import random
from string import ascii_lowercase

import pytest
from sgfmill.boards import Board

from fiedler.games import GAMES
from fiedler.games.game import START
from fiedler.games.go import area

SOAKED = 20_000
"""Games on 9×9, and half of them or a tenth on the larger boards."""
KOMIS = (7.5, 6.5, 0.0, -3.0, 7.0, -0.5)
State = tuple[tuple[int, int, str], ...]


def state(board: Board) -> State:
    return tuple((row, column, color) for color, (row, column) in board.list_occupied_points())


def allowed(board: Board, color: str, seen: set[State], *, suicide: bool) -> set[str]:
    """The names of the legal moves. A board of sgfmill plays suicide, too."""
    found = {"pass"}
    for row in range(board.side):
        for column in range(board.side):
            if board.get(row, column) is None:
                after = board.copy()
                after.play(row, column, color)
                if (suicide or after.get(row, column) is not None) and state(after) not in seen:
                    found.add(f"{ascii_lowercase[column]}{row + 1}")
    return found


def cells(board: Board) -> bytes:
    rows = reversed(range(board.side))
    return bytes({None: 0, "b": 1, "w": 2}[board.get(row, column)] for row in rows for column in range(board.side))


def difference(size: int, seed: int, looks: int, *, suicide: bool = False) -> str:
    """The first difference in a random game; empty if there is none. Every `looks` plies all moves are compared.

    Odd seeds pass only if no other move is left, so that these games are long. The komi follows from the seed.
    """
    rng, board, seen, komi = random.Random(seed), Board(size), set[State](), KOMIS[seed % len(KOMIS)]
    game = GAMES[f"go{size}"]
    position = game.position(game.with_rules(START, {"komi": komi, "suicide": suicide}))
    seen.add(state(board))
    while position.result is None:
        color = "bw"[position.side_to_move]
        names = [position.move_text(move) for move in position.legal_moves()]
        if position.ply % looks == seed % looks and {*names} != allowed(board, color, seen, suicide=suicide):
            return f"legal moves after {position}"
        name = rng.choice(names[:-1] or names) if seed % 2 else rng.choice(names)
        if name != "pass":
            board.play(int(name[1:]) - 1, ascii_lowercase.index(name[0]), color)
            if state(board) in seen:
                return f"{name} repeats a board in {position}"
            seen.add(state(board))
        position.play(position.parse_move(name))
        if position.cells != cells(board):
            return f"stones after {name} in {position}"
    if board.area_score() != area(position.cells, size):
        return f"area of {position}"
    lead = board.area_score() - komi
    if position.result != (lead > 0) - (lead < 0):
        return f"result of {position}"
    even = game.with_rules(START, {"komi": board.area_score(), "suicide": suicide})
    moves = [move for move in str(position).split(";")[2].split("-") if move]
    return "" if game.position(even, moves).result == 0 else f"a draw of {position}"


@pytest.mark.parametrize("suicide", [False, True])
@pytest.mark.parametrize(("size", "games"), [(9, 30), (13, 4), (19, 2)])
def test_random_games_agree(size: int, games: int, suicide: bool) -> None:
    assert [found for seed in range(games) if (found := difference(size, seed, 16, suicide=suicide))] == []


@pytest.mark.slow
@pytest.mark.parametrize("suicide", [False, True])
def test_a_thousand_random_games_agree(suicide: bool) -> None:
    assert [found for seed in range(500) if (found := difference(9, seed, 1024, suicide=suicide))] == []


@pytest.mark.parametrize("suicide", [False, True])
@pytest.mark.parametrize(("size", "games"), [(9, SOAKED), (13, SOAKED // 2), (19, SOAKED // 10)])
@pytest.mark.soak
def test_twenty_thousand_random_games_agree(size: int, games: int, suicide: bool) -> None:
    assert [found for seed in range(games) if (found := difference(size, seed, 64, suicide=suicide))] == []


def test_a_difference_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    capture = Board.play

    def without_corners(board: Board, row: int, column: int, color: str) -> object:
        ko = capture(board, row, column, color)
        board.board[0][0] = None
        return ko

    monkeypatch.setattr(Board, "play", without_corners)
    assert any(difference(9, seed, 16) for seed in range(4))
