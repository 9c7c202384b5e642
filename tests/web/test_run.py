"""The page of a run in a browser: followed to its end, through the ends of the server and of the manager."""

from __future__ import annotations

import json
import signal
import subprocess
from collections.abc import Callable
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from tests.patience import PATIENCE, wait_until
from tests.tournament.manager_process import COMMAND, NODES, Manager, wait_until_gone
from tests.tournament.schedules import Bench, player
from tests.web.browser import NARROW, WIDE, Watch, overflow
from tests.web.pages import Pages
from tests.web.runs import HELD, play, release

Start = Callable[..., Pages]
HOSTILE = "<img src=x onerror=alert(1)> & 'é'/../?#\""


def rank(bench: Bench) -> list[dict[str, Any]]:
    command = [*COMMAND, "rank", str(bench.results / "test"), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=PATIENCE)
    players: list[dict[str, Any]] = json.loads(done.stdout)["players"]
    return players


def elo(value: float) -> str:
    return f"{value:.0f}".replace("-0", "0" if round(value) == 0 else "-0").replace("-", "−")


def standings(page: Page) -> list[tuple[str, str, str]]:
    """Return the name, the Elo and the number of games of each row."""
    found: list[list[str]] = page.evaluate(
        """() => [...document.querySelectorAll("#standings tbody tr")]
        .map((row) => [row.dataset.player, row.cells[2].textContent, row.cells[8].textContent])"""
    )
    return [(name, elo, games) for name, elo, games in found]


def ranked(bench: Bench) -> list[tuple[str, str, str]]:
    return [(one["name"], elo(one["elo"]), str(one["games"])) for one in rank(bench)]


def shown(page: Page) -> list[str]:
    """Return the parts of the page that do not change with the time of day."""
    found: list[str] = page.evaluate(
        """() => ["standings", "crosstable", "graph", "course", "failures", "events"]
        .map((id) => document.getElementById(id).outerHTML).concat(document.querySelector(".answer").textContent)"""
    )
    return found


DRAWN = """() => new Promise((done) =>
    setTimeout(() => requestAnimationFrame(() => requestAnimationFrame(done)), 600))"""
"""The large parts are drawn twice a second: a wait by the clock of the page, in the order of its own drawing."""


def settled(page: Page, bench: Bench) -> None:
    """Wait until the page shows the end of the run and its last ranking."""
    expect(page.locator(".state")).to_have_text("finished")
    last = ranked(bench)
    wait_until(lambda: standings(page) == last, "the page never had the last ranking")
    page.evaluate(DRAWN)


def begun(bench: Bench) -> Manager:
    """Start a run whose first player waits in its third game."""
    players = [player("a", "held", 3), player("b"), player(HOSTILE)]
    bench.write(players, tournament={"games_per_pair": 8}, limit=HELD)
    manager = Manager(bench, "--progress", "all")
    manager.wait_for("Started game ", 1)
    return manager


@pytest.mark.parametrize("viewport", [WIDE, NARROW], ids=["wide", "narrow"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_finished_run(
    browser: Browser, watch: Watch, pages: Start, bench: Bench, viewport: dict[str, int], scheme: str
) -> None:
    play(bench, [player("a"), player("b", "crash", 2), player(HOSTILE)], tournament={"games_per_pair": 6}, limit=NODES)
    page = watch.page(browser, viewport=viewport, color_scheme=scheme)
    page.goto(f"{pages().url}/runs/test")
    settled(page, bench)
    expect(page.locator("#failures li").first).to_contain_text("b: crash")
    expect(page.locator("#crosstable")).to_contain_text(HOSTILE)
    assert overflow(page) == []
    found = Axe().run(page).response["violations"]
    assert [one["id"] for one in found if one["impact"] in ("serious", "critical")] == []


FIRST_DRAWN = """new MutationObserver(() => {
    const drawn = (path) => document.querySelector(path) !== null;
    if (drawn("#standings tbody tr")) window.crossed ??= drawn("#crosstable td");
}).observe(document, { childList: true, subtree: true })"""


def test_the_first_picture_has_all_parts(browser: Browser, watch: Watch, pages: Start, bench: Bench) -> None:
    play(bench, [player("a"), player("b")], limit=NODES)
    page = watch.page(browser)
    page.add_init_script(FIRST_DRAWN)
    page.goto(f"{pages().url}/runs/test")
    expect(page.locator("#standings tbody tr")).to_have_count(2)
    assert page.evaluate("window.crossed") is True


def test_a_cell_opens_its_pair(browser: Browser, watch: Watch, pages: Start, bench: Bench) -> None:
    play(bench, [player("a"), player("b"), player(HOSTILE)], limit=NODES)
    page = watch.page(browser)
    page.goto(f"{pages().url}/runs/test")
    page.locator("#crosstable").get_by_role("link", name=f"{HOSTILE} – b: 2 games").click()
    expect(page.get_by_role("status")).to_have_text("2 finished games")
    page.locator(".game-list").get_by_role("rowheader").first.get_by_role("link").click()
    expect(page.locator("h1")).to_contain_text("Game ")
    expect(page.locator(".answer")).to_contain_text("three in a row")


def test_a_run_is_followed_without_reload(browser: Browser, watch: Watch, pages: Start, bench: Bench) -> None:
    manager = begun(bench)
    page = watch.page(browser)
    page.goto(f"{pages().url}/runs/test")
    expect(page.locator(".state")).to_have_text("running")
    expect(page.locator("#running .card svg.board").first).to_be_visible()
    release(bench)
    assert manager.end() == (0, "")
    settled(page, bench)
    followed = shown(page)
    page.reload()
    settled(page, bench)
    assert shown(page) == followed


def test_the_server_is_killed_and_comes_again(browser: Browser, watch: Watch, pages: Start, bench: Bench) -> None:
    manager = begun(bench)
    server = pages()
    page = watch.page(browser)
    watch.expected |= {"ERR_CONNECTION_REFUSED", "ERR_CONNECTION_RESET", "ERR_INCOMPLETE_CHUNKED_ENCODING"}
    page.goto(f"{server.url}/runs/test")
    expect(page.locator(".state")).to_have_text("running")
    server.stop(signal.SIGKILL)
    expect(page.get_by_text("No connection to the server")).to_be_visible()
    server.start()
    expect(page.get_by_text("No connection to the server")).to_be_hidden()
    release(bench)
    assert manager.end() == (0, "")
    settled(page, bench)
    followed = shown(page)
    page.reload()
    settled(page, bench)
    assert shown(page) == followed


def test_the_manager_is_killed_and_comes_again(browser: Browser, watch: Watch, pages: Start, bench: Bench) -> None:
    manager = begun(bench)
    page = watch.page(browser)
    page.goto(f"{pages().url}/runs/test")
    expect(page.locator("#events li.finished").nth(1)).to_be_visible()
    manager.process.kill()
    manager.process.communicate()
    expect(page.locator(".state")).to_contain_text("interrupted: no manager is at work")
    expect(page.locator(".state")).to_contain_text(f"the same command resumes the run: tournament run {bench.path}")
    expect(page.locator("#running .card")).to_have_count(0)
    wait_until_gone(bench)
    release(bench)
    assert Manager(bench, "--quiet").end()[0] == 0
    settled(page, bench)
    numbers = page.locator("#events li.finished a").all_inner_texts()
    assert len(set(numbers)) == len(numbers) == 24
    followed = shown(page)
    page.reload()
    settled(page, bench)
    assert shown(page) == followed


def test_a_run_started_anew(browser: Browser, watch: Watch, pages: Start, bench: Bench) -> None:
    play(bench, [player("a"), player("b")], limit=NODES)
    page = watch.page(browser)
    page.goto(f"{pages().url}/runs/test")
    settled(page, bench)
    bench.write([player("c"), player("d"), player("e")], limit=NODES)
    assert Manager(bench, "--quiet", "--fresh").end()[0] == 0
    expect(page.locator("#standings tbody tr")).to_have_count(3)
    settled(page, bench)


def test_a_damaged_run_says_so(browser: Browser, watch: Watch, pages: Start, bench: Bench) -> None:
    (folder := bench.results / "damaged").mkdir(parents=True)
    (folder / "run.sqlite").write_text("not a run", "utf-8")
    (folder / "events.jsonl").touch()
    page = watch.page(browser)
    page.goto(f"{pages().url}/runs/damaged")
    expect(page.get_by_role("status")).to_contain_text("file is not a database")


def test_a_hidden_page_closes_its_stream(browser: Browser, watch: Watch, pages: Start, bench: Bench) -> None:
    play(bench, [player("a"), player("b")], limit=NODES)
    url = f"{pages().url}/runs/test"
    context = browser.new_context()
    tabs = []
    for _ in range(8):  # more than the connections of a browser to one server
        page = context.new_page()
        page.clock.install()
        page.goto(url)
        expect(page.locator(".state")).to_have_text("finished")
        hide(page, hidden=True)
        page.clock.run_for(10_000)
        tabs.append(page)
    asked: list[str] = []
    tabs[0].on("request", lambda request: asked.append(request.url))
    hide(tabs[0], hidden=False)
    wait_until(lambda: tabs[0].evaluate("1") and asked)
    assert "/live?after=" in asked[0]
    context.close()


def hide(page: Page, *, hidden: bool) -> None:
    page.evaluate(
        """(hidden) => { Object.defineProperty(document, "hidden", { value: hidden, configurable: true });
        document.dispatchEvent(new Event("visibilitychange")); }""",
        hidden,
    )
