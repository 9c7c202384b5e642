"""Boards with pieces that move, are taken and turned over: as text, as pictures, as geometry."""

from __future__ import annotations

import re
from xml.etree import ElementTree

import games
from games.board import spot
from games.geometry import geometry
from games.picture import board_svg
from games.position import Grid, has_grid
from games.refusal import refusal
from games.replay import replay
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


def test_no_cell_of_such_a_game_is_called_taken() -> None:
    position = FLIP.position()
    assert refusal(FLIP, position, "c4") == "move: expected a cell that turns discs over, got 'c4'"
