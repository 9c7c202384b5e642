"""The plies of a game, as pages show them."""

from __future__ import annotations

import json
import random

import pytest

import games
from games.board import block_signs, filled_cell
from games.errors import IllegalMoveError, PositionError
from games.geometry import geometry
from games.replay import Forbidden, replay, to_json

every_game = pytest.mark.parametrize("game", games.GAMES.values(), ids=games.GAMES)


def random_game(game: games.Game, seed: int) -> list[str]:
    rng, position, moves = random.Random(seed), game.position(), list[str]()
    while position.result is None:
        move = rng.choice(position.legal_moves())
        moves.append(position.move_text(move))
        position.play(move)
    return moves


@every_game
def test_the_stones_of_every_ply_are_those_of_the_rules(game: games.Game) -> None:
    moves = random_game(game, 7)
    shown = replay(game, moves)
    cells = list(shown.stones)
    position = game.position()
    for ply, (move, cell) in enumerate(zip(moves, shown.cells, strict=True)):
        position.play(position.parse_move(move))
        cells[cell] = 1 + (shown.first + ply) % 2
        assert bytes(cells) == position.cells
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
    assert (shown.first, shown.stones[38], shown.cells) == (1, 1, (31, 24))


def test_wrong_games_are_refused() -> None:
    game = games.game("connect4")
    with pytest.raises(IllegalMoveError):
        replay(game, ["d"] * 7)
    with pytest.raises(PositionError):
        replay(game, [], "nonsense")
