"""Go in a browser: captured stones, a pass, and the points of both sides at the end."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, expect

from fiedler import games
from fiedler.games.replay import replay, to_json
from tests.games.test_territory import CAPTURE, OWN_LOSS, SUICIDE
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


def test_the_stone_of_a_suicide_is_lost_too(site: Pages, browser: Browser, watch: Watch) -> None:
    page = open_board(site, browser, watch, "go9")
    lost = page.evaluate(
        """async (text) => {
            const { lostStones } = await import("/static/area.js");
            const replay = JSON.parse(text), changes = replay.moves.map(() => []);
            changes.splice(-1, 1, [replay.changes.at(-1)[0]]);
            const live = { ...replay, changes, lost: [0, 3] }; // as a page of running games has it
            return [[replay, 9], [replay, 10], [live, 10]].map(([one, ply]) => lostStones(one, ply));
        }""",
        to_json(replay(games.game("go9"), OWN_LOSS, SUICIDE)).decode(),
    )
    assert lost == [[0, 0], [0, 3], [0, 3]]
