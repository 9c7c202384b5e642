"""The geometry of every board, as pages draw it."""

from __future__ import annotations

import json
from itertools import pairwise

import pytest

from fiedler import games
from fiedler.games.board import Kind, block_signs, filled_cell
from fiedler.games.geometry import Geometry, geometry, to_json
from fiedler.games.go import PASS

SHAPES = {
    "tictactoe": (9, 8, 0),
    "connect4": (42, 0, 0),
    "uttt": (81, 20, 9),
    "uttt-majority": (81, 20, 9),
    "cube": (64, 10, 0),
    "gomoku9": (81, 18, 0),
    "gomoku15": (225, 30, 0),
    "gomoku20": (400, 40, 0),
    "standard15": (225, 30, 0),
    "renju15": (225, 30, 0),
    "chess": (64, 18, 0),
    "chess960": (64, 18, 0),
    "go9": (81, 18, 0),
    "go13": (169, 26, 0),
    "go19": (361, 38, 0),
}
"""Cells, lines and regions of every game."""

every_game = pytest.mark.parametrize("game", games.GAMES.values(), ids=games.GAMES)


def cells_by_move(shown: Geometry) -> dict[str, list[int]]:
    """Return the cells of every move, the lowest first."""
    found: dict[str, list[int]] = {}
    for index in reversed(range(len(shown.cells))):
        found.setdefault(shown.cells[index].move, []).append(index)
    return found


@every_game
def test_counts(game: games.Game) -> None:
    shown = geometry(game)
    assert (len(shown.cells), len(shown.lines), len(shown.regions)) == SHAPES[game.id]
    assert len(shown.cells) == shown.layers * shown.width * shown.height == len(game.position().cells)
    assert (len(shown.columns), len(shown.rows)) == (shown.width, shown.height)


@pytest.mark.parametrize("game", games.FILLED.values(), ids=games.FILLED)
def test_every_move_is_that_of_the_cells_that_it_fills(game: games.Game) -> None:
    shown, start = geometry(game), game.position()
    by_move = cells_by_move(shown)
    assert sorted(by_move) == sorted({*map(start.move_text, start.legal_moves())} - {PASS})
    for name, cells in by_move.items():
        position = start.copy()
        for cell in cells:
            move = position.parse_move(name)
            assert filled_cell(position, move) == cell
            position.play(move)
        assert not shown.drops or name not in map(position.move_text, position.legal_moves())


@every_game
def test_a_column_drops_its_discs_and_other_moves_are_cells(game: games.Game) -> None:
    shown = geometry(game)
    assert bool(shown.drops) == (game.board is Kind.COLUMNS)
    assert not shown.drops or shown.drops == {move: tuple(cells) for move, cells in cells_by_move(shown).items()}
    assert all(cell.name == cell.move for cell in shown.cells if not shown.drops)


@every_game
def test_names_and_places_are_distinct_and_inside(game: games.Game) -> None:
    shown = geometry(game)
    assert len({cell.name for cell in shown.cells}) == len(shown.cells)
    places = sorted((cell.layer, cell.y, cell.x) for cell in shown.cells)
    assert all(one != other for one, other in pairwise(places))
    for layer, y, x in places:
        assert 0 <= layer < shown.layers
        assert (x - 0.5, y - 0.5) == (int(x), int(y)), "cells of side 1 on a grid do not overlap"
        assert 0 < x < shown.width
        assert 0 < y < shown.height


@every_game
def test_a_name_agrees_with_the_letters_and_numbers_at_the_edge(game: games.Game) -> None:
    shown = geometry(game)
    for cell in shown.cells:
        layer = str(cell.layer + 1) if shown.layers > 1 else ""
        assert cell.name == layer + shown.columns[int(cell.x)] + shown.rows[int(cell.y)]


@every_game
def test_lines_stay_on_the_board_and_meet_the_points(game: games.Game) -> None:
    shown = geometry(game)
    for x1, y1, x2, y2 in shown.lines:
        assert (x1 == x2) != (y1 == y2)
        assert 0 <= min(x1, x2) <= max(x1, x2) <= shown.width
        assert 0 <= min(y1, y2) <= max(y1, y2) <= shown.height
    if shown.ground == "points":
        uprights = {x1 for x1, _, x2, _ in shown.lines if x1 == x2}
        assert uprights == {cell.x for cell in shown.cells}


@every_game
def test_regions_divide_the_cells(game: games.Game) -> None:
    shown = geometry(game)
    inside = [cell for region in shown.regions for cell in region.cells]
    assert sorted(inside) == (list(range(len(shown.cells))) if shown.regions else [])
    assert not shown.regions or len(block_signs(game.position())) == len(shown.regions)
    for region in shown.regions:
        for cell in (shown.cells[index] for index in region.cells):
            assert region.x < cell.x < region.x + region.side
            assert region.y < cell.y < region.y + region.side


def test_star_points() -> None:
    def stars(name: str) -> list[str]:
        shown = geometry(games.game(name))
        return [shown.cells[index].name for index in shown.stars]

    assert stars("gomoku15") == ["d12", "l12", "h8", "d4", "l4"]
    assert stars("gomoku9") == ["c7", "g7", "e5", "c3", "g3"]
    assert stars("gomoku20") == ["d17", "q17", "d4", "q4"]
    assert stars("uttt") == []


def test_json_has_the_fields_of_the_board() -> None:
    shown = json.loads(to_json(geometry(games.game("connect4"))))
    assert shown["drops"]["a"] == [35, 28, 21, 14, 7, 0]
    assert shown["cells"][35] == {"name": "a1", "move": "a", "x": 0.5, "y": 5.5, "layer": 0}
    assert (shown["ground"], shown["stones"], shown["sides"]) == ("holes", "discs", ["Red (X)", "Yellow (O)"])
