"""A game without a core and without a board, on its page and in a report: as text."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from fiedler import games
from fiedler.tournament.report.writing import write_report
from fiedler.tournament.run import manager
from tests.patience import PATIENCE
from tests.take import TAKE
from tests.tournament.schedules import PLAYERS, Bench
from tests.web.browser import Watch
from tests.web.pages import Pages
from tests.web.test_server import ask, content

END = "a counter that nobody may take"


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    """A run and its report."""
    bench = Bench(tmp_path_factory.mktemp("take"))
    players = [
        {"name": name, "command": [sys.executable, str(PLAYERS / "take.py"), name]} for name in ("least", "most")
    ]
    games.register(TAKE)
    bench.write(
        players,
        tournament={"game": "take", "games_per_pair": 12},
        openings={"plies": 2},
        limit={"nodes": 1, "startup_s": PATIENCE},
    )
    write_report(manager.run(bench.path, results=bench.results))
    yield bench
    del games.REGISTERED[TAKE.id]


@pytest.fixture(scope="module")
def site(played: Bench) -> Iterator[Pages]:
    one = Pages(played.results, module="tests.web.take_pages")
    yield one
    one.stop()


def test_a_page_shows_a_game_as_text(site: Pages, browser: Browser, watch: Watch) -> None:
    document = json.loads(content(ask(site, "/api/runs/test/games/1")))
    boards = document["replay"]["boards"]
    assert boards[0] == "X;11;0"
    assert len(boards) == len(document["moves"]) + 1
    page = watch.page(browser)
    page.goto(f"{site.url}/runs/test/games/1")
    shown = page.locator(".board-text")
    expect(shown).to_have_text(boards[-1])
    page.keyboard.press("ArrowLeft")
    expect(shown).to_have_text(boards[-2])
    page.keyboard.press("Home")
    expect(shown).to_have_text(boards[0])
    expect(page.locator(".files")).to_have_text("PGN")


def test_documents_of_a_game_without_cells(site: Pages) -> None:
    shown = json.loads(content(ask(site, "/api/games/take/replay?moves=3+1+3+2+1")))
    assert (shown["boards"][-1], shown["text"]) == ("O;1;1", f"draw by {END}")
    for path in ("/api/games/take/geometry", "/api/runs/test/games/1.sgf", "/api/games/take/record.sgf?moves=3"):
        assert ask(site, path).status == 404
    assert '[Game "take"]' in content(ask(site, "/api/runs/test/games/1.pgn"))


def test_a_report_shows_its_games_as_text(played: Bench, browser: Browser, watch: Watch) -> None:
    drawn = next(one for one in played.games() if one.loser is None)
    page = watch.page(browser)
    page.goto(f"{(played.results / 'test' / 'report.html').as_uri()}#game={drawn.number}")
    page.keyboard.press("End")
    expect(page.locator("#viewer .board-text")).to_have_text("O;1;1")
    expect(page.locator("#viewer .replay-state")).to_contain_text(END)
