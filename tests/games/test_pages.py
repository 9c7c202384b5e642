"""The page of every game: its example is a position, and its picture is drawn from it."""

from __future__ import annotations

import importlib.util
from types import ModuleType

import pytest

import games
from tests.folders import DOCS


def load_script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("draw_boards", DOCS / "draw_boards.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


SCRIPT = load_script()


@pytest.mark.parametrize("name", games.GAMES)
def test_a_page_shows_its_example(name: str) -> None:
    page = (DOCS / "games" / f"{name}.md").read_text("utf-8")
    example = SCRIPT.EXAMPLES[name]
    assert f"`{games.game(name).parse_position(example)}`" in page
    assert f"(../images/board-{name}.svg)" in page
    if " moves " in example:
        assert f"`{example.partition(' moves ')[2]}`" in page


def test_the_pages_are_listed() -> None:
    for page, prefix in ((DOCS / "README.md", "games/"), (DOCS / "games" / "README.md", "")):
        text = page.read_text("utf-8")
        assert [name for name in games.GAMES if f"]({prefix}{name}.md)" not in text] == []


def test_the_pictures_are_what_the_script_draws() -> None:
    drawn = SCRIPT.pictures()
    assert {path.name: path.read_text("utf-8") for path in (DOCS / "images").glob("board-*.svg")} == drawn


def test_the_cube_is_drawn_in_text_as_the_engine_shows_it() -> None:
    game = games.game("cube")
    position = game.parse_position(SCRIPT.EXAMPLES["cube"])
    drawn = game.draw(position, 0)
    assert drawn.splitlines()[1].startswith(" 4 [X]")
    assert "\n".join(f"    {line}" for line in drawn.splitlines()) in (DOCS / "games" / "cube.md").read_text("utf-8")
