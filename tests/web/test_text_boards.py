"""Boards as text, and lists of moves of sides that do not take turns, in a real page."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from dataclasses import replace

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from fiedler.games.replay import Replay, TextReplay, replay, to_json
from tests.flip import SKIP
from tests.games.test_replay import TURNS
from tests.patience import wait_until
from tests.tournament.manager_process import Manager
from tests.tournament.schedules import PLAYERS, Bench
from tests.web.browser import NARROW, WIDE, Watch, overflow
from tests.web.pages import Pages
from tests.web.runs import HELD, release

SHOW = """async (replay) => {
    const { TextBoard } = await import("/static/text_board.js");
    const { Replay } = await import("/static/replay.js");
    const [box, control] = [document.createElement("div"), document.createElement("div")];
    document.querySelector("main").replaceChildren(box, control);
    new Replay(control, new TextBoard(box), { names: ["ann", "bob"] }).update(replay);
}"""
SIZES = """(text) => {
    const { fontSize } = getComputedStyle(text), { height } = text.getBoundingClientRect();
    const [wide, high] = [text.scrollWidth > text.clientWidth, text.scrollHeight > text.clientHeight];
    return [parseFloat(fontSize), wide, high, height <= innerHeight];
}"""
windows = pytest.mark.parametrize("window", [WIDE, NARROW], ids=["wide", "narrow"])


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pages]:
    """A server without runs."""
    one = Pages(tmp_path_factory.mktemp("results"))
    yield one
    assert one.stop() == 0


def show(page: Page, site: Pages, shown: Replay) -> None:
    page.goto(f"{site.url}/play/tictactoe")
    expect(page.locator("main[data-ready]")).to_have_count(1)
    page.evaluate(SHOW, json.loads(to_json(shown)))


def rows_of(page: Page) -> list[list[str]]:
    """Return the lines of the list of moves."""
    found: list[list[str]] = page.eval_on_selector_all(
        ".replay-moves li", "(rows) => rows.map((row) => [...row.children].map((one) => one.textContent))"
    )
    return found


def drawn(lines: int, columns: int) -> TextReplay:
    """Return a replay of three plies on a board of this size; each position has a letter of its own."""
    boards = tuple("\n".join([letter * columns] * lines) for letter in "abcd")
    moves = ("m1", "m2 takes a long name", "m3")
    return TextReplay("drawn", "", (), 0, moves, (), (), {}, (), "*", "", boards=boards)


@windows
@pytest.mark.parametrize(("lines", "columns"), [(1, 6), (12, 30), (40, 19)])
def test_a_board_as_text_is_as_large_as_its_place(
    site: Pages, browser: Browser, watch: Watch, window: dict[str, int], lines: int, columns: int
) -> None:
    page = watch.page(browser, viewport=window)
    show(page, site, drawn(lines, columns))
    font, is_wider, is_higher, fits = page.locator(".board-text").evaluate(SIZES)
    assert 12 <= font <= 16
    assert not is_wider
    assert not is_higher or (lines, window) == (40, NARROW)
    assert fits
    assert overflow(page) == []


@windows
def test_a_board_that_is_too_wide_scrolls_by_keys(
    site: Pages, browser: Browser, watch: Watch, window: dict[str, int]
) -> None:
    page = watch.page(browser, viewport=window)
    show(page, site, drawn(30, 200))
    text = page.locator(".board-text")
    assert text.evaluate(SIZES)[:2] == [12, True]
    assert overflow(page) == []
    page.keyboard.press("Home")
    expect(text).to_have_attribute("data-ply", "0")
    text.focus()
    page.keyboard.press("ArrowRight")
    wait_until(lambda: text.evaluate("(text) => text.scrollLeft > 0"))
    expect(text).to_have_attribute("data-ply", "0")
    page.keyboard.press("End")
    expect(text).to_have_attribute("data-ply", "3")
    expect(text).to_contain_text("dddd")
    text.evaluate("(text) => text.blur()")
    page.keyboard.press("ArrowLeft")
    expect(text).to_have_attribute("data-ply", "2")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(site: Pages, browser: Browser, watch: Watch, scheme: str) -> None:
    page = watch.page(browser, color_scheme=scheme)
    show(page, site, drawn(40, 200))
    found = Axe().run(page, context="main").response["violations"]
    assert [one["id"] for one in found] == []


def test_a_side_that_moves_again_begins_a_line(site: Pages, browser: Browser, watch: Watch) -> None:
    moves = [move for move in TURNS if move != "pass"]
    page = watch.page(browser)
    show(page, site, replay(replace(SKIP, board=None), moves))
    rows = rows_of(page)
    assert rows[:2] == [["b4", "b3"], ["a2", "c5"]]
    assert rows[14:] == [["d1", "b1"], ["…", "f2"], ["…", "f5"]]
    page.locator(".replay-moves button").last.click()
    expect(page.locator(".board-text")).to_have_attribute("data-ply", "32")


def test_the_other_side_that_moves_again_has_a_gap(site: Pages, browser: Browser, watch: Watch) -> None:
    page = watch.page(browser)
    show(page, site, replace(drawn(1, 5), sides="0010"))
    assert rows_of(page) == [["m1", "…"], ["m2 takes a long name", "m3"]]


def test_a_running_game_without_rules_has_the_sides_of_its_players_answers(
    bench: Bench, browser: Browser, watch: Watch
) -> None:
    """The second player waits before it answers about the third position: both watch the moves so far."""
    wishes = {"a": ["two"], "b": ["least", "held:p1turn", "2"]}
    command = [sys.executable, "-S", "-E", str(PLAYERS / "agree.py")]
    players = [{"name": name, "command": [*command, *words]} for name, words in wishes.items()]
    bench.write(players, tournament={"game": "generic"}, adjudication={"max_plies": 20}, limit=HELD)
    manager, pages = Manager(bench), None
    try:
        wait_until((bench.folder / "holding").exists)
        pages = Pages(bench.results)
        page = watch.page(browser)
        page.goto(f"{pages.url}/runs/test/games/1")
        wait_until(lambda: rows_of(page) == [["2", "…"], ["2"]])
        watch.close()
    finally:
        release(bench)
        codes = manager.end(), None if pages is None else pages.stop()
    assert codes == ((0, ""), 0)
