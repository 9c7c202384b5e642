"""Go in a browser: captured stones, a pass, and the points of both sides at the end."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, expect

import games
from games.replay import replay
from tests.games.test_territory import CAPTURE
from tests.web.browser import NARROW, Watch, overflow
from tests.web.pages import Pages
from tests.web.test_boards import open_board, play, site

__all__ = ["site"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_game_shows_captures_a_pass_and_the_area(site: Pages, browser: Browser, watch: Watch, scheme: str) -> None:
    page = open_board(site, browser, watch, "go9", viewport=NARROW, color_scheme=scheme)
    taken = page.locator(".board-taken")
    play(page, CAPTURE)
    expect(taken).to_have_text("captured by Black: 1, by White: 0")
    assert page.locator(".pass").count() == page.locator(".owned").count() == 0
    page.get_by_role("button", name="Pass", exact=True).click()
    expect(page.locator(".pass text")).to_have_text("White passes")
    page.get_by_role("button", name="Pass", exact=True).click()
    expect(page.locator(".pass text")).to_have_text("Black passes")
    assert page.locator(".owned1").count() == replay(games.game("go9"), [*CAPTURE, "pass", "pass"]).area.count("1")
    assert page.locator(".replay-moves button").all_inner_texts()[-2:] == ["pass", "pass"]
    assert overflow(page) == []
    assert [found["id"] for found in Axe().run(page).response["violations"]] == []
    for _ in range(3):
        page.get_by_role("button", name="back").click()
    expect(taken).to_have_text("captured by Black: 0, by White: 0")
    assert page.locator(".owned").count() == 0
