"""The list of runs in a browser."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, expect

from tests.tournament.manager_process import NODES, Manager
from tests.tournament.schedules import Bench, player
from tests.web.browser import NARROW, WIDE, Watch, overflow
from tests.web.pages import Pages
from tests.web.runs import HELD, play, release


@pytest.mark.parametrize("viewport", [WIDE, NARROW], ids=["wide", "narrow"])
def test_it_shows_every_run(
    browser: Browser, watch: Watch, pages: Callable[..., Pages], bench: Bench, viewport: dict[str, int]
) -> None:
    play(bench, [player("a"), player("b")], limit=NODES)
    page = watch.page(browser, viewport=viewport)
    page.goto(pages().url)
    expect(page.get_by_role("link", name="test")).to_be_visible()
    expect(page.get_by_role("row").nth(1)).to_contain_text("2 of 2")
    assert overflow(page) == []
    found = Axe().run(page).response["violations"]
    assert [one["id"] for one in found if one["impact"] in ("serious", "critical")] == []


def test_it_renews_itself(browser: Browser, watch: Watch, pages: Callable[..., Pages], bench: Bench) -> None:
    page = watch.page(browser)
    page.goto(pages().url)
    bench.write([player("a", "held"), player("b")], tournament={"games_per_pair": 10}, limit=HELD)
    manager = Manager(bench, "--quiet")
    expect(page.get_by_role("row").nth(1)).to_contain_text("running")
    release(bench)
    assert manager.end() == (0, "")
    expect(page.get_by_role("row").nth(1)).to_contain_text("finished")
    expect(page.get_by_role("row").nth(1)).to_contain_text("10 of 10")


def test_an_empty_folder_says_so(browser: Browser, watch: Watch, pages: Callable[..., Pages]) -> None:
    page = watch.page(browser)
    page.goto(pages().url)
    expect(page.get_by_text("There are no runs yet.")).to_be_visible()
