"""The report and all games of a run behind its page; points, also on a phone; the page that takes a token."""

from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import Browser, expect

from fiedler.tournament.report import write_report
from tests.tournament.manager_process import NODES
from tests.tournament.schedules import Bench, player
from tests.web.browser import NARROW, WIDE, Watch, overflow
from tests.web.pages import Pages
from tests.web.runs import play
from tests.web.test_server import ask, content

Start = Callable[..., Pages]


def test_the_page_leads_to_the_report_and_to_all_games(
    browser: Browser, watch: Watch, pages: Start, bench: Bench
) -> None:
    play(bench, [player("a"), player("b"), player("c")], limit=NODES)
    server = pages()
    (bench.results / "test" / "report.html").unlink()
    assert "There is no report yet" in content(ask(server, "/runs/test/report.html"))
    write_report(bench.results / "test")
    page = watch.page(browser)
    page.goto(f"{server.url}/runs/test")
    page.get_by_role("link", name="Report").click()
    expect(page.locator("h1")).to_contain_text("test")
    page.locator("table.sortable th").first.click()
    expect(page.locator("table.sortable th").first).to_have_attribute("aria-sort", re.compile("ascending|descending"))
    answer = ask(server, "/runs/test/report.html")
    assert "sandbox allow-scripts" in answer.headers["content-security-policy"], "it reaches nothing of the server"
    games = content(ask(server, "/api/runs/test/games.pgn"))
    assert games.count("[Result ") == 6
    assert games == (bench.results / "test" / "games.pgn").read_text("utf-8")


def test_points_are_shown_also_on_a_phone(browser: Browser, watch: Watch, pages: Start, bench: Bench) -> None:
    """The first player of this game always wins: each has a win and a loss."""
    play(bench, [player("a"), player("b")], limit=NODES)
    server = pages()
    for size, points in ((WIDE, True), (NARROW, False)):
        page = watch.page(browser, viewport=size)
        page.goto(f"{server.url}/runs/test")
        row = page.locator("table.standings tbody tr").first
        expect(row.get_by_role("cell", name="1-0-1")).to_be_visible()
        expect(row.locator("td").nth(5)).to_have_text("1")
        assert row.locator("td").nth(5).is_visible() == points
        assert overflow(page) == []


def test_the_page_that_takes_a_token_speaks_to_the_visitor(pages: Start, bench: Bench) -> None:
    (bench.folder / "tokens").write_text("s3cret-of-the-pages-0123456789\n", encoding="utf-8")
    (bench.folder / "tokens").chmod(0o600)
    text = content(ask(pages("--token-file", bench.folder / "tokens"), "/login"))
    assert "The organiser of the tournament has given you a token" in text
    assert "server" not in text
