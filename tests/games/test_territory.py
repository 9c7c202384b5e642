"""The points of both sides in Go, the stones that they lose, and their pictures."""

from __future__ import annotations

import random

from fiedler import games
from fiedler.games.go import PASS, area, captured
from fiedler.games.picture import board_svg
from fiedler.games.replay import replay
from fiedler.games.territory import owners

CAPTURE = ["d6", "e6", "c5", "f5", "d4", "e4", "g3", "d5", "e5"]
"""The last move takes a stone."""


def board(rows: str) -> bytes:
    return bytes(".XO".index(sign) for sign in rows.replace("/", ""))


def test_a_point_belongs_to_the_side_whose_stones_alone_it_leads_to() -> None:
    cells = board(".X.../XX.../..OOO/OOO../..O..")
    assert owners(cells, 5) == bytes([1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2, 2, 2, 2, 0, 2, 2])
    assert area(cells, 5) == (3 + 1) - (7 + 6)
    assert owners(bytes(25), 5) == bytes(25)


def test_the_area_is_shown_at_the_end_and_the_stones_that_were_lost_always() -> None:
    game = games.game("go9")
    running, ended = replay(game, CAPTURE), replay(game, [*CAPTURE, "pass", "pass"])
    assert running.lost == ended.lost == captured(game.position(), CAPTURE, game.position(moves=CAPTURE)) == (0, 1)
    assert (running.area, ended.area.count("1"), ended.area.count("2")) == ("", 1, 0), "d5 alone"
    picture = board_svg(game, game.position(moves=[*CAPTURE, "pass", "pass"]))
    assert picture.count('width="8" height="8"') == 1
    assert 'width="8" height="8"' not in board_svg(game, game.position(moves=CAPTURE))


SUICIDE = f"{games.game('go9').position()};suicide=true"
"""A start of Go with suicide; the last move of OWN_LOSS takes three stones of White, its own one with them."""
OWN_LOSS = ["e5", "a1", "a2", "b1", "b2", "e9", "c2", "e8", "d1", "c1"]


def test_the_stone_of_a_suicide_is_lost_too() -> None:
    game = games.game("go9")
    shown, end = replay(game, OWN_LOSS, SUICIDE), game.position(SUICIDE, OWN_LOSS)
    assert shown.lost == captured(game.position(SUICIDE), OWN_LOSS, end) == (0, 3)
    shown.sides = "0101010101" + "0"
    assert shown.lost == (0, 3), "of a record with sides"


def test_lost_stones_are_those_of_random_games() -> None:
    game, rng = games.game("go9"), random.Random(1)
    for _ in range(5):
        position, moves = game.position(), list[str]()
        while position.result is None and len(moves) < 200:
            stones = [move for move in position.legal_moves() if position.move_text(move) != PASS]
            move = rng.choice(stones or position.legal_moves())
            moves.append(position.move_text(move))
            position.play(move)
        lost = replay(game, moves).lost
        assert lost == captured(game.position(), moves, position)
        assert sum(lost) > 0
