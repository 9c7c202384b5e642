"""A user's game on the pages of its run, and in a report: its cells and its pieces."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from urllib.request import urlopen

import pytest
from playwright.sync_api import Browser, expect

from fiedler import games
from fiedler.games.others import VARIABLE
from fiedler.tournament.report.writing import write_report
from fiedler.tournament.run import manager
from tests.folders import ROOT
from tests.own_games import BREAKTHROUGH, forgotten
from tests.patience import PATIENCE
from tests.tournament.manager_process import Manager
from tests.tournament.schedules import Bench
from tests.web.browser import Watch
from tests.web.pages import Pages
from tests.web.test_boards import at_ply, shown_stones
from tests.web.test_run_serve import address
from tests.web.test_server import ask, content

pytestmark = pytest.mark.programs
START = 12 * [2] + 12 * [0] + 12 * [1]
BOTS = [
    {"name": name, "command": [sys.executable, str(ROOT / "examples" / f"breakthrough_{name}.py")]}
    for name in ("random", "greedy")
]


def write(bench: Bench) -> None:
    tournament = {"game": BREAKTHROUGH, "games_per_pair": 4}
    bench.write(BOTS, tournament=tournament, openings={"plies": 1}, limit={"nodes": 1, "startup_s": PATIENCE})


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    """A run and its report."""
    bench = Bench(tmp_path_factory.mktemp("own"))
    with forgotten():
        write(bench)
        write_report(manager.run(bench.path, results=bench.results))
        yield bench


def cells_after(moves: list[str]) -> list[int]:
    return list(games.any_game("breakthrough").position(moves=moves).cells)  # type: ignore[attr-defined]


def test_the_page_of_a_game_has_its_pieces(
    played: Bench, browser: Browser, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(VARIABLE, BREAKTHROUGH)
    site = Pages(played.results)
    try:
        document = json.loads(content(ask(site, "/api/runs/test/games/1")))
        assert document["replay"]["stones"] == START
        assert len(document["replay"]["changes"]) == len(document["moves"])
        page = watch.page(browser)
        page.goto(f"{site.url}/runs/test/games/1")
        at_ply(page, len(document["moves"]))
        assert shown_stones(page) == cells_after(document["moves"])
        page.keyboard.press("Home")
        at_ply(page, 0)
        assert shown_stones(page) == START
        expect(page.locator("text >> text=♙")).to_have_count(12)
        assert '[Game "breakthrough"]' in content(ask(site, "/api/runs/test/games/1.pgn"))
        assert ask(site, "/api/games/no-such/replay").status == 404
    finally:
        watch.close()
        site.stop()


def test_without_its_rules_the_pages_show_the_results(played: Bench) -> None:
    site = Pages(played.results)
    try:
        document = json.loads(content(ask(site, "/api/runs/test/games/1")))
        assert document["replay"] is None
        assert document["result"] in {"1-0", "0-1"}
        assert ask(site, "/runs/test").status == 200
        assert ask(site, "/api/games/breakthrough/replay").status == 404
    finally:
        site.stop()


def test_the_report_has_its_pieces(played: Bench, browser: Browser, watch: Watch) -> None:
    game = played.games()[0]
    page = watch.page(browser)
    page.goto(f"{(played.results / 'test' / 'report.html').as_uri()}#game=1")
    at_ply(page, 0)
    assert shown_stones(page) == START
    page.keyboard.press("End")
    at_ply(page, len(game.moves))
    assert shown_stones(page) == cells_after(list(game.moves))
    expect(page.locator("#viewer .replay-state")).to_contain_text("a pawn on the last row")


def test_the_pages_of_a_run_know_its_rules(bench: Bench) -> None:
    write(bench)
    run = Manager(bench, "--serve", "--stay")
    url = address(run)
    with urlopen(url.replace("/runs/test", "/api/games/breakthrough/replay?moves=a2a3")) as answer:
        assert json.load(answer)["stones"] == START
    run.process.terminate()
    run.process.communicate(timeout=PATIENCE)
