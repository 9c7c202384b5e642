"""Boards with pieces that move, are taken and turned over: as text, as pictures, as geometry."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import pytest

from fiedler import games
from fiedler.games.board import spot, step_cells
from fiedler.games.chess import KINGS
from fiedler.games.geometry import geometry
from fiedler.games.picture import board_svg
from fiedler.games.position import Grid, has_grid
from fiedler.games.refusal import refusal
from fiedler.games.replay import replay
from tests.flip import FLIP, PASS
from tests.pawns import PAWNS


def flip(text: str) -> Grid:
    position = FLIP.parse_position(text)
    assert has_grid(position)
    return position


def test_the_text_marks_the_cell_to_which_a_piece_moved() -> None:
    start = PAWNS.position()
    position, move = PAWNS.position(moves=["a1a2"]), start.parse_move("a1a2")
    assert PAWNS.draw(position, move).splitlines() == [
        " 3  p  p  p",
        " 2 [P] .  .",
        " 1  .  P  P",
        "    a  b  c",
    ]


def test_a_pass_marks_no_cell() -> None:
    drawn = FLIP.draw(flip("c5 b5 b4"), PASS)
    assert drawn.splitlines()[1:4] == [
        " 5  .  O  X  .  .  .",
        " 4  .  X  X  X  .  .",
        " 3  .  .  X  O  .  .",
    ]
    assert "[" not in drawn
    assert "[X]" in FLIP.draw(flip("c5 b5 b4"), 13)


def test_a_piece_leaves_its_cell_and_takes_another_one() -> None:
    shown = replay(PAWNS, ["a1a2", "b3a2", "b1a2"])
    assert shown.changes == (((3, 1), (6, 0)), ((3, 2), (1, 0)), ((3, 1), (7, 0)))
    assert bytes(shown.last_cells) == PAWNS.position("O;p.p/P../..P").cells  # type: ignore[attr-defined]
    assert shown.text == "Black to move"


def test_the_geometry_has_the_pieces() -> None:
    pawns, discs = geometry(PAWNS), geometry(FLIP)
    assert pawns.stones == "pieces"
    assert [(one.sign, one.side, one.name) for one in pawns.pieces] == [("P", 0, "white pawn"), ("p", 1, "black pawn")]
    assert [cell.name for cell in pawns.cells] == ["a3", "b3", "c3", "a2", "b2", "c2", "a1", "b1", "c1"]
    assert (discs.stones, [one.name for one in discs.pieces]) == ("signs", list(FLIP.sides))


def signs(svg: str) -> list[str]:
    """Return the signs of pieces in a picture."""
    texts = ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")
    return [one.text or "" for one in texts if one.get("font-size")]


def test_pictures_have_the_pieces_after_a_move() -> None:
    position = PAWNS.position(moves=["a1a2", "b3a2"])
    assert has_grid(position)
    assert signs(board_svg(PAWNS, position)) == ["p", "p", "p", "P", "P"]
    picture = board_svg(FLIP, flip("c5 b5 b4"), 13)
    assert (picture.count("<circle"), picture.count("m0 -14l-14 14")) == (2, 5)
    assert picture.count('stroke-width="1.5"') == 1, "the last move is marked"
    assert board_svg(FLIP, flip("c5"), PASS).count('stroke-width="1.5"') == 0


def test_each_piece_of_chess_is_drawn_once_and_used_on_its_squares() -> None:
    position = games.game("chess").position("6k1/5ppp/8/8/8/8/5PPP/3R2K1_w_-_-_0_1")
    svg = ElementTree.fromstring(board_svg(games.game("chess"), position))
    name = "{http://www.w3.org/2000/svg}"
    defined = {one.get("id", ""): one for one in svg.iter(f"{name}g")}
    used = [(one.get("href", "")[1:], one.get("transform", "")) for one in svg.iter(f"{name}use")]
    wanted = [(f"chess-{piece}", spot(position, cell)) for cell, piece in enumerate(position.cells) if piece]
    assert sorted(defined) == sorted({one for one, _ in wanted}), "a rook, two kings, the pawns of both sides"
    places = [tuple(map(float, re.findall(r"[\d.]+", where)[:2])) for _, where in used]
    assert [(piece, *place) for (piece, _), place in zip(used, places, strict=True)] == [
        (piece, 28 + 30 * (column + 0.5), 14 + 30 * (row + 0.5)) for piece, (row, column) in wanted
    ]
    assert not signs(board_svg(games.game("chess"), position))
    white, black = (defined[one].find(f"{name}path") for one in ("chess-1", "chess-7"))
    assert white is not None
    assert black is not None
    assert white.get("d") == black.get("d")
    assert white.get("fill") != black.get("fill")


@pytest.mark.parametrize(
    ("name", "cells"),
    [
        ("a1a2", (6, 3)),
        ("a1c3q", (6, 2)),
        ("a1", None),
        ("pass", None),
        ("a1d2", None),
        ("a1a4", None),
        ("a1a11", None),
    ],
)
def test_the_name_of_a_step_begins_with_two_cells(name: str, cells: tuple[int, int] | None) -> None:
    position = PAWNS.position()
    assert has_grid(position)
    assert step_cells(position, name) == cells


def test_a_picture_marks_both_cells_of_a_step_by_an_arrow() -> None:
    position = PAWNS.position(moves=["a1a2", "b3a2"])
    assert has_grid(position)
    move = PAWNS.position(moves=["a1a2"]).parse_move("b3a2")
    plain, marked = (ElementTree.fromstring(board_svg(PAWNS, position, last)) for last in (None, move))
    added = [one.attrib for one in marked.iter() if one.attrib not in [other.attrib for other in plain.iter()]]
    boxes = [(float(one["x"]), float(one["y"])) for one in added if "x" in one]
    assert boxes == [(28 + 30, 14), (28, 14 + 30)], "b3 and a2"
    (arrow,) = (one["transform"] for one in added if "transform" in one)
    assert arrow == "translate(73 29) rotate(135)", "from the middle of b3, down and to the left"


def test_the_king_is_the_piece_of_a_move_that_castles() -> None:
    for name, moves, king in (
        ("chess", ["e2e4", "e7e5", "g1f3", "g8f6", "f1c4", "f8c5", "e1g1"], 62),
        ("chess960", ["e2e4", "e7e5", "g1f3", "g8f6", "f1c4", "f8c5", "e1h1"], 62),
    ):
        (cell, piece), *rest = replay(games.game(name), moves).changes[-1]
        assert (cell, piece) == (king, KINGS[0])
        assert {one for one, _ in rest} == {60, 61, 63}


def test_no_cell_of_such_a_game_is_called_taken() -> None:
    position = FLIP.position()
    assert refusal(FLIP, position, "c4") == "move: expected a cell that turns discs over, got 'c4'"


@pytest.mark.parametrize(
    ("rank", "move", "cells"),
    [("6KR", "g1h1", ("g1", "f1")), ("1K5R", "b1h1", ("b1", "g1")), ("R1K5", "c1a1", ("c1", "d1"))],
)
def test_the_arrow_of_a_castling_king_ends_where_it_stands_or_at_the_rook_if_it_rests(
    rank: str, move: str, cells: tuple[str, str]
) -> None:
    game, start = games.game("chess960"), f"4k3/8/8/8/8/8/8/{rank}_w_{'H' if 'h' in move else 'A'}_-_0_1"
    before, after = game.position(start), game.position(start, [move])
    assert has_grid(before)
    assert has_grid(after)
    picture = board_svg(game, after, before.parse_move(move), before)
    marked = re.findall(r'<rect x="([0-9.]+)" y="[0-9.]+" width="30" height="30" fill="#f2d64b"', picture)
    assert [(float(x) - 28) / 30 for x in marked] == ["abcdefgh".index(cell[0]) for cell in cells]
    assert replay(game, [move], start).changes[0][0][0] % 8 == "abcdefgh".index(cells[1][0]), "as lastStep has it"
