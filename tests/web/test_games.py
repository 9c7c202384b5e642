"""The games of a run in a browser: the list with its filters, and one game with its board."""

from __future__ import annotations

import json
import re
import signal
from collections.abc import Callable, Iterator

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, expect

from fiedler.tournament.termination import Termination
from tests.tournament.manager_process import NODES, Manager
from tests.tournament.schedules import Bench, player
from tests.web.browser import NARROW, WIDE, Watch, overflow
from tests.web.pages import Pages
from tests.web.runs import HELD, play, release
from tests.web.test_server import ask, content

Start = Callable[..., Pages]
THREE = [player("a"), player("b", "crash", 2), player("c & d")]


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pages]:
    """Three players, 40 games each pair: more than a page of the list."""
    bench = Bench(tmp_path_factory.mktemp("games"))
    play(bench, THREE, tournament={"games_per_pair": 40, "bench_after": 0}, limit=NODES)
    one = Pages(bench.results)
    yield one
    one.stop()


def listed(pages: Pages, query: str) -> list[dict[str, object]]:
    document = json.loads(content(ask(pages, f"/api/runs/test/games?{query}")))
    games: list[dict[str, object]] = document["games"]
    assert document["count"] >= len(games)
    return games


def test_the_filters_choose(played: Pages) -> None:
    everything = listed(played, "") + listed(played, "page=2")
    assert [game["number"] for game in everything] == list(range(120, 0, -1))

    def of(*names: str) -> list[dict[str, object]]:
        return [game for game in everything if {*names} <= {game["first"], game["second"]}]

    assert listed(played, "player=a&opponent=b") == of("a", "b")
    assert listed(played, "player=b") == of("b")
    won = [game for game in of("a") if (game["first"] == "a") == (game["result"] == "1-0")]
    assert listed(played, "player=a&outcome=won") == won
    assert listed(played, "outcome=lost") == [game for game in everything if game["result"] == "0-1"]
    assert listed(played, "termination=crash") == [game for game in everything if game["termination"] == "crash"]
    assert listed(played, "player='OR+1=1+--") == []


@pytest.mark.parametrize("path", ["games/121", "games/0", "games/99999999999999999999", "games/1.txt", "games/121.pgn"])
def test_a_missing_game_is_one_sentence(played: Pages, path: str) -> None:
    answer = ask(played, f"/api/runs/test/{path}")
    assert (answer.status, json.loads(content(answer))) == (404, {"error": "There is no such game"})


def test_a_wrong_filter_is_one_sentence(played: Pages) -> None:
    answer = ask(played, "/api/runs/test/games?outcome=best")
    assert (answer.status, json.loads(content(answer))["error"]) == (400, "outcome: expected won, drawn, lost")


@pytest.mark.parametrize("name", ["none", "..", "%2e%2e", "test%2f..%2ftest", ".", "test%00"])
def test_a_run_is_known_by_its_name_alone(played: Pages, name: str) -> None:
    for path in (f"/api/runs/{name}", f"/api/runs/{name}/live", f"/api/runs/{name}/games/1"):
        assert ask(played, path).status == 404


def test_a_game_can_be_taken_along(played: Pages) -> None:
    pgn = ask(played, "/api/runs/test/games/1.pgn")
    assert pgn.headers["Content-Disposition"] == 'attachment; filename="test-1.pgn"'
    assert '[Round "1"]' in content(pgn)
    assert content(ask(played, "/api/runs/test/games/1.sgf")).startswith("(;FF[4]")


@pytest.mark.parametrize("viewport", [WIDE, NARROW], ids=["wide", "narrow"])
def test_the_list(browser: Browser, watch: Watch, played: Pages, viewport: dict[str, int]) -> None:
    page = watch.page(browser, viewport=viewport)
    page.goto(f"{played.url}/runs/test/games")
    expect(page.get_by_role("status")).to_have_text("120 finished games")
    page.get_by_role("link", name="older").click()
    expect(page.get_by_role("row")).to_have_count(21)
    page.get_by_label("player").select_option("c & d")
    page.get_by_label("outcome").select_option("won")
    page.get_by_role("button", name="Filter").click()
    expect(page.get_by_label("player")).to_have_value("c & d")
    expect(page.get_by_role("status")).not_to_have_text("120 finished games")
    assert overflow(page) == []
    found = Axe().run(page).response["violations"]
    assert [one["id"] for one in found if one["impact"] in ("serious", "critical")] == []


def test_the_list_chooses_by_termination(browser: Browser, watch: Watch, played: Pages) -> None:
    page = watch.page(browser)
    page.goto(f"{played.url}/runs/test/games?player=b")
    end = page.locator("select[name=termination]")
    expect(end.locator("option")).to_have_text(["any", *map(str, Termination)])
    end.select_option("crash")
    page.get_by_role("button", name="Filter").click()
    number = len(listed(played, "player=b&termination=crash"))
    expect(page.get_by_role("status")).to_have_text(f"{number} finished games")
    expect(page.locator("td.reason.failed")).to_have_count(number)
    page.goto(f"{played.url}/runs/test/games?termination=rules")
    expect(page.locator("td.reason").first).to_be_visible()
    expect(page.locator("td.reason.failed")).to_have_count(0)


def test_a_phone_shows_the_whole_names_of_opponents(browser: Browser, watch: Watch, bench: Bench) -> None:
    long = "a-player-of-a-very-long-name-that-fills-the-screen"
    play(bench, [player(long), player("b")], limit=NODES)
    pages = Pages(bench.results)
    try:
        page = watch.page(browser, viewport=NARROW)
        page.goto(f"{pages.url}/runs/test/games")
        cells = page.locator(".game-list td.left", has_text=long)
        expect(cells.first).to_be_visible()
        assert cells.evaluate_all("all => all.filter((one) => one.scrollWidth > one.clientWidth).length") == 0
        assert overflow(page) == []
    finally:
        pages.stop()


@pytest.mark.parametrize("viewport", [WIDE, NARROW], ids=["wide", "narrow"])
def test_a_finished_game(browser: Browser, watch: Watch, played: Pages, viewport: dict[str, int]) -> None:
    page = watch.page(browser, viewport=viewport)
    page.goto(f"{played.url}/runs/test/games/1")
    state = page.locator(".replay-state")
    expect(state).to_contain_text("Ply ")
    plies = page.locator(".replay-moves button").count()
    expect(state).to_contain_text(f"Ply {plies} of {plies}")
    page.keyboard.press("Home")
    expect(state).to_contain_text(f"Ply 0 of {plies}")
    page.keyboard.press("ArrowRight")
    expect(state).to_contain_text(f"Ply 1 of {plies}")
    page.reload()
    expect(state).to_contain_text(f"Ply 1 of {plies}")
    assert page.url.endswith("/games/1#1")
    expect(page.locator("svg.board")).to_be_visible()
    assert overflow(page) == []
    found = Axe().run(page).response["violations"]
    assert [one["id"] for one in found if one["impact"] in ("serious", "critical")] == []


def test_the_scores_of_a_finished_game_are_drawn(browser: Browser, watch: Watch, pages: Start, bench: Bench) -> None:
    searching = {"name": "n", "player": "negamax"}
    play(bench, [searching, player("r")], limit={"nodes": 50})
    one = pages()
    for number in (1, 2):
        game = json.loads(content(ask(one, f"/api/runs/test/games/{number}")))
        side = int(game["second"] == "n")
        own = [ply for ply in range(len(game["opening"]) + 1, len(game["moves"]) + 1) if (ply - 1) % 2 == side]
        assert [(one["ply"], one["side"]) for one in game["scores"]] == [(ply, side) for ply in own]
        assert all(0 <= one["value"] <= 1 for one in game["scores"])
        pgn = content(ask(one, f"/api/runs/test/games/{number}.pgn"))
        assert len(re.findall(r"\{[+-]?[\dM]\S*/\d+\s[\d.]+s\}", pgn)) == len(own)
        page = watch.page(browser)
        page.goto(f"{one.url}/runs/test/games/{number}")
        expect(page.get_by_role("img", name=f"scores for {game['first']}")).to_be_visible()
        assert page.locator(f".score-line{side + 1}").get_attribute("d")
        assert page.locator(f".score-line{2 - side}").get_attribute("d") == ""


def test_a_running_game_is_followed_to_its_end(browser: Browser, watch: Watch, pages: Start, bench: Bench) -> None:
    bench.write([player("a", "held"), player("b")], limit=HELD)
    manager = Manager(bench, "--progress", "all")
    manager.wait_for("Started game ", 1)
    page = watch.page(browser)
    page.goto(f"{pages().url}/runs/test/games/1")
    expect(page.locator(".answer")).to_contain_text("running")
    release(bench)
    expect(page.locator(".answer")).to_contain_text("three in a row")
    expect(page.get_by_role("link", name="PGN")).to_be_visible()
    assert manager.end() == (0, "")


def test_a_game_that_ended_without_its_page_is_seen(browser: Browser, watch: Watch, pages: Start, bench: Bench) -> None:
    bench.write([player("a", "held"), player("b")], limit=HELD)
    manager = Manager(bench, "--progress", "all")
    manager.wait_for("Started game ", 1)
    server, page = pages(), watch.page(browser)
    watch.expected.add("ERR_")
    page.goto(f"{server.url}/runs/test/games/1")
    expect(page.locator(".answer")).to_contain_text("running")
    server.stop(signal.SIGKILL)
    release(bench)
    assert manager.end() == (0, "")
    server.start()
    expect(page.locator(".answer")).to_contain_text("three in a row")
    expect(page.get_by_role("link", name="PGN")).to_be_visible()
