"""The plies of a game, as pages show them."""

from __future__ import annotations

import json
import random

import pytest

from fiedler import games
from fiedler.games.board import block_signs, filled_cell
from fiedler.games.errors import IllegalMoveError, PositionError
from fiedler.games.geometry import geometry
from fiedler.games.position import fills_cells, has_grid
from fiedler.games.replay import Forbidden, replay, to_json
from tests.flip import FLIP, SKIP

every_game = pytest.mark.parametrize("game", games.GAMES.values(), ids=games.GAMES)


def random_game(game: games.Game, seed: int) -> list[str]:
    rng, position, moves = random.Random(seed), game.position(), list[str]()
    while position.result is None:
        move = rng.choice(position.legal_moves())
        moves.append(position.move_text(move))
        position.play(move)
    return moves


@pytest.mark.parametrize("game", games.FILLED.values(), ids=games.FILLED)
def test_the_stones_of_every_ply_are_those_of_the_rules(game: games.Game) -> None:
    moves = random_game(game, 7)
    shown = replay(game, moves)
    cells = list(shown.stones)
    position = game.position()
    for ply, (move, changes) in enumerate(zip(moves, shown.changes, strict=True)):
        position.play(position.parse_move(move))
        if fills_cells(position):
            assert len(changes) == 1
        for _, piece in changes[:1]:
            assert piece == 1 + (shown.first + ply) % 2
        for cell, piece in changes:
            cells[cell] = piece
        assert bytes(cells) == position.cells
    assert (shown.last_cells, shown.sides) == (cells, "")
    assert shown.legal == ()
    assert shown.result in {"1-0", "0-1", "1/2-1/2"}
    assert shown.text == game.result_text(position)
    assert {cell for line in shown.lines for cell in line} == game.winning_cells(position)


@every_game
def test_a_running_game_has_its_legal_moves(game: games.Game) -> None:
    moves = random_game(game, 3)[:4]
    shown, position = replay(game, moves), game.position(moves=moves)
    assert list(shown.legal) == list(map(position.move_text, position.legal_moves()))
    assert (shown.result, shown.lines) == ("*", ())


def test_the_regions_show_where_the_side_to_move_may_play() -> None:
    game = games.game("uttt")
    moves = random_game(game, 11)
    shown = replay(game, moves)
    region_of = {cell: place for place, one in enumerate(geometry(game).regions) for cell in one.cells}
    for ply in range(len(moves)):
        position = game.position(moves=moves[:ply])
        open_boards = {place for place, sign in enumerate(shown.regions[ply]) if sign == "@"}
        assert open_boards == {region_of[filled_cell(position, move)] for move in position.legal_moves()}
    assert shown.regions[-1] == block_signs(game.position(moves=moves))
    assert "@" not in shown.regions[-1]


def test_forbidden_points_come_with_their_kind_at_their_ply() -> None:
    moves = ["g8", "j5", "f8", "k6", "h9", "d12", "h10", "e4"]
    shown = replay(games.game("renju15"), moves)
    assert shown.forbidden == {8: (Forbidden(7 * 15 + 7, "double three", "33"),)}
    assert "h8" not in shown.legal
    assert json.loads(to_json(shown))["forbidden"] == {"8": [{"cell": 112, "kind": "double three", "sign": "33"}]}


def test_a_game_may_begin_anywhere() -> None:
    game = games.game("connect4")
    shown = replay(game, ["d", "d"], game.notation)
    assert (shown.first, shown.stones[38], shown.changes) == (1, 1, (((31, 2),), ((24, 1),)))


def test_wrong_games_are_refused() -> None:
    game = games.game("connect4")
    with pytest.raises(IllegalMoveError):
        replay(game, ["d"] * 7)
    with pytest.raises(PositionError):
        replay(game, [], "nonsense")


TURNS = (
    *("b4", "b3", "a2", "c5", "b6", "e5", "c2", "b2", "e2", "a4", "b5", "e3", "e4", "c1", "a1", "e1", "f6", "a3"),
    *("d2", "e6", "f3", "c6", "f4", "a6", "d6", "a5", "f1", "d5", "d1", "b1", "pass", "f2", "pass", "f5"),
)
"""A game of tests/flip.py with two passes of the first player."""


def test_a_move_may_change_any_cells() -> None:
    shown, position = replay(FLIP, TURNS), FLIP.position()
    cells = list(shown.stones)
    assert [cells.count(piece) for piece in (0, 1, 2)] == [32, 2, 2]
    for move, changes in zip(TURNS, shown.changes, strict=True):
        number, turned = position.parse_move(move), changes[1:]
        assert [cells[cell] for cell, _ in changes[:1]] == [0] * (move != "pass"), "the new disc comes first"
        assert all(cells[cell] == 3 - piece for cell, piece in turned)
        assert (move == "pass") == (not turned)
        position.play(number)
        for cell, piece in changes:
            cells[cell] = piece
        assert has_grid(position)
        assert bytes(cells) == position.cells
    assert (shown.last_cells, shown.sides, shown.forbidden, shown.regions) == (cells, "", {}, ())
    assert (shown.result, shown.text) == ("0-1", "Light (O) wins by more discs")


@pytest.mark.parametrize("game", ["chess", "chess960"])
def test_the_pieces_of_every_ply_are_those_of_the_rules(game: str) -> None:
    face = games.game(game)
    for seed in range(5):
        moves = random_game(face, seed)
        shown, position = replay(face, moves), face.position()
        cells = list(shown.stones)
        for move, changes in zip(moves, shown.changes, strict=True):
            position.play(position.parse_move(move))
            assert 2 <= len(changes) <= 4
            assert changes[0][1], "a square to which a piece went"
            for cell, piece in changes:
                cells[cell] = piece
            assert bytes(cells) == position.cells
        assert (shown.last_cells, shown.sides, shown.text) == (cells, "", face.result_text(position))


def test_the_sides_of_a_game_without_turns_are_those_of_its_positions() -> None:
    moves = [move for move in TURNS if move != "pass"]
    shown = replay(SKIP, moves)
    assert shown.sides == "01" * 15 + "11" + "0"
    assert replay(SKIP, moves[:-1]).sides == "01" * 15 + "11"
    assert replay(SKIP, moves[:20]).sides == ""
    rest = replay(SKIP, moves[30:], str(SKIP.position(moves=moves[:30])))
    assert (rest.first, rest.sides, rest.last_cells) == (1, "110", shown.last_cells)
