"""The page of every game: its example is a position, and its picture is drawn from it."""

from __future__ import annotations

import importlib.util
from types import ModuleType

import pytest

from fiedler import games
from tests.folders import DOCS, ROOT


def load_script(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, DOCS / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


DRAWING, LISTS = load_script("draw_boards"), load_script("list_games")


@pytest.mark.parametrize("name", games.GAMES)
def test_a_page_shows_its_example(name: str) -> None:
    path = DOCS / "games" / f"{name}.md"
    assert path.exists(), f"write docs/games/{path.name}, the page of {name}"
    page, example = path.read_text("utf-8"), games.game(name).example
    assert f"`{games.game(name).parse_position(example)}`" in page
    assert f"(../images/board-{name}.svg)" in page
    if " moves " in example:
        assert f"`{example.partition(' moves ')[2]}`" in page


def test_the_script_writes_the_lists_of_games() -> None:
    outdated = [name for name, text in LISTS.pages().items() if (ROOT / name).read_text("utf-8") != text]
    assert not outdated, "run `python docs/list_games.py`"


@pytest.mark.parametrize("name", games.GAMES)
def test_a_game_is_listed(name: str) -> None:
    assert f"| [`{name}`]({name}.md) | {games.game(name).name} | `" in LISTS.pages()["docs/games/README.md"]
    assert f"](games/{name}.md)" in LISTS.pages()["docs/README.md"]


def test_the_script_draws_the_pictures() -> None:
    found = {path.name: path.read_text("utf-8") for path in (DOCS / "images").glob("board-*.svg")}
    assert found == DRAWING.pictures(), "run `python docs/draw_boards.py`"


def test_the_cube_is_drawn_in_text_as_the_engine_shows_it() -> None:
    game = games.game("cube")
    position = game.parse_position(game.example)
    drawn = game.draw(position, 0)
    assert drawn.splitlines()[1].startswith(" 4 [X]")
    assert "\n".join(f"    {line}" for line in drawn.splitlines()) in (DOCS / "games" / "cube.md").read_text("utf-8")
