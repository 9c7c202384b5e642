"""The pages of players and pairs, and the crosstable of many players, by mouse and by keyboard."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, Page, expect

from fiedler.games.result import Result
from fiedler.tournament.game import GameRecord
from fiedler.tournament.run.event_log import EventLog
from fiedler.tournament.run.store import Store
from fiedler.tournament.termination import FAILURES
from tests.patience import wait_until
from tests.tournament.manager_process import NODES, Manager
from tests.tournament.report.made_runs import make_run
from tests.tournament.schedules import Bench, player
from tests.web.browser import NARROW, WIDE, Watch, overflow
from tests.web.pages import Pages
from tests.web.runs import HELD, play, release
from tests.web.test_run import HOSTILE, rank
from tests.web.test_server import ask, content

Start = Callable[..., Pages]
THREE = [player("a"), player("b", "crash", 2), player(HOSTILE)]


@pytest.fixture(scope="module")
def bench_of_three(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    """A finished run; one of its players crashes at times."""
    bench = Bench(tmp_path_factory.mktemp("players"))
    play(bench, THREE, tournament={"games_per_pair": 12, "bench_after": 0}, limit=NODES)
    return bench


@pytest.fixture(scope="module")
def site(bench_of_three: Bench) -> Iterator[Pages]:
    one = Pages(bench_of_three.results)
    yield one
    one.stop()


def document(pages: Pages, path: str, **names: str) -> Any:
    return json.loads(content(ask(pages, f"/api/runs/test/{path}?{urlencode(names)}")))


def sides(games: list[GameRecord], name: str) -> list[list[int]]:
    """Return wins, draws and losses of a player as first and as second, counted one by one."""
    found = [[0, 0, 0], [0, 0, 0]]
    for game in games:
        if name in (game.first, game.second):
            place = 1 if game.result == Result.DRAW else 2 if game.loser == name else 0
            found[int(game.second == name)][place] += 1
    return found


def met(games: list[GameRecord], *names: str) -> list[GameRecord]:
    return [game for game in games if {*names} == {game.first, game.second}]


def failures(games: list[GameRecord], name: str) -> dict[str, int]:
    kinds = [game.termination for game in games if game.loser == name and game.termination in FAILURES]
    return {kind: kinds.count(kind) for kind in kinds}


def test_the_documents_count_every_game(site: Pages, bench_of_three: Bench) -> None:
    wait_until(lambda: document(site, "player", player="a")["final"], "the server never had the last ranking")
    games, names = bench_of_three.games(), ("a", "b", HOSTILE)
    ranked = [(one["name"], one["elo"]) for one in rank(bench_of_three)]
    assert failures(games, "b")
    for name in names:
        found = document(site, "player", player=name)
        assert (found["sides"], found["failures"]) == (sides(games, name), failures(games, name))
        others = [other for other in names if other != name]
        assert [(one["name"], one["sides"]) for one in found["opponents"]] == [
            (other, sides(met(games, name, other), name)) for other in others
        ]
        assert [(one["name"], one["elo"]) for one in found["ranking"]] == ranked
        for other in others:
            pair = document(site, "pair", player=name, opponent=other)
            assert pair["sides"] == sides(met(games, name, other), name)
            assert pair["failures"] == {one: failures(met(games, name, other), one) for one in (name, other)}


@pytest.mark.parametrize(
    "path", ["player", "player?player=x", "pair?player=a", "pair?player=a&opponent=a", "pair?player=a&opponent=..%2Fb"]
)
def test_an_unknown_player_is_one_sentence(site: Pages, path: str) -> None:
    answer = ask(site, f"/api/runs/test/{path}")
    assert (answer.status, json.loads(content(answer))) == (404, {"error": "There is no such player"})
    assert ask(site, f"/runs/test/{path}").status == 404


def sound(page: Page) -> None:
    expect(page.locator("main[data-ready]")).to_have_count(1)
    assert overflow(page) == []
    found = Axe().run(page).response["violations"]
    assert [one["id"] for one in found if one["impact"] in ("serious", "critical")] == []


@pytest.mark.parametrize("viewport", [WIDE, NARROW], ids=["wide", "narrow"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_from_the_standings_to_a_game_by_keyboard(
    browser: Browser, watch: Watch, site: Pages, viewport: dict[str, int], scheme: str
) -> None:
    page = watch.page(browser, viewport=viewport, color_scheme=scheme)
    page.goto(f"{site.url}/runs/test")
    page.locator("#standings").get_by_role("link", name=HOSTILE).press("Enter")
    expect(page.locator("h1")).to_have_text(HOSTILE)
    expect(page.locator(".answer")).to_contain_text(" Elo, rank ")
    expect(page.get_by_role("status")).to_have_text("24 finished games")
    sound(page)
    page.get_by_role("link", name="against b").press("Enter")
    expect(page.locator("h1")).to_have_text(f"{HOSTILE} – b")
    expect(page.locator(".answer")).to_contain_text(f"for {HOSTILE} after 12 games: ")
    expect(page.get_by_role("status")).to_have_text("12 finished games")
    sound(page)
    page.locator(".game-list tbody a").first.press("Enter")
    expect(page.locator("h1")).to_contain_text("Game ")
    page.get_by_role("link", name="this pair").press("Enter")
    page.locator("h1").get_by_role("link", name="b").press("Enter")
    expect(page.locator("h1")).to_have_text("b")


def test_filters_and_failures_choose_among_the_games(
    browser: Browser, watch: Watch, site: Pages, bench_of_three: Bench
) -> None:
    page = watch.page(browser)
    page.goto(f"{site.url}/runs/test/player?player=b")
    count = failures(bench_of_three.games(), "b")["crash"]
    page.get_by_role("link", name=f"crash: {count}").click()
    expect(page.get_by_role("status")).to_have_text(f"{count} finished games")
    expect(page.locator("h1")).to_have_text("b")
    page.locator("select[name=opponent]").select_option("a")
    page.get_by_label("outcome").select_option("")
    page.get_by_label("end").select_option("")
    page.get_by_role("button", name="Filter").click()
    expect(page.get_by_role("status")).to_have_text("12 finished games")
    page.get_by_role("link", name="all games").click()
    expect(page.get_by_role("status")).to_have_text("24 finished games")
    expect(page.locator("h1")).to_have_text("b")


def test_a_player_is_followed_without_reload(browser: Browser, watch: Watch, pages: Start, bench: Bench) -> None:
    bench.write([player("a", "held"), player("b")], limit=HELD)
    manager = Manager(bench, "--progress", "all")
    manager.wait_for("Started game ", 1)
    page = watch.page(browser)
    url = pages().url
    page.goto(f"{url}/runs/test/player?player=a")
    expect(page.get_by_role("status")).to_have_text("0 finished games")
    release(bench)
    assert manager.end() == (0, "")
    expect(page.get_by_role("status")).to_have_text("2 finished games")
    expect(page.locator(".answer")).to_contain_text(" Elo, rank ")
    page.get_by_role("link", name="b", exact=True).focus()
    followed = page.locator("main").inner_html()
    page.reload()
    expect(page.locator("main[data-ready]")).to_have_count(1)
    assert page.locator("main").inner_html() == followed


def test_the_crosstable_of_many_players_by_keyboard(
    browser: Browser, watch: Watch, pages: Start, tmp_path: Path
) -> None:
    names = [f"player {number}" for number in range(45)]
    folder = make_run(tmp_path / "results" / "many", names, game="tictactoe", games_per_pair=2, steps=(1, 2))
    with EventLog(folder) as log, Store.open(folder) as store:
        log.complete(store)
    page = watch.page(browser)
    page.goto(f"{pages().url}/runs/many")
    page.get_by_role("application", name="Crosstable").focus()
    note = page.locator("#crosstable [aria-live]")
    expect(page.locator("#standings tbody td.bar b").first).to_be_visible()  # the ranking is there
    ranked = page.locator("#standings tbody th").all_inner_texts()
    expect(note).to_have_text(ranked[0])
    for key, row, column in (
        ("End", 0, 44),
        ("PageDown", 10, 44),
        ("ArrowLeft", 10, 43),
        ("Home", 10, 0),
        ("ArrowUp", 9, 0),
    ):
        page.keyboard.press(key)
        expect(note).to_contain_text(f"{ranked[row]} – {ranked[column]}: ")
    expect(page.locator(".mosaic-box i")).to_be_visible()
    assert overflow(page) == []
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text(f"{ranked[9]} – {ranked[0]}")
    page.go_back()
    expect(page.locator("#standings tbody th").first).to_be_visible()
    page.get_by_role("application", name="Crosstable").press("Enter")
    expect(page.locator("h1")).to_have_text(ranked[0])


FOLLOWED = """async () => {
    const [{ RunModel }, { Crosstable }] =
        await Promise.all(["run_model", "crosstable"].map((name) => import(`/static/${name}.js`)));
    const players = [...Array(45).keys()].map((place) => `p${place}`);
    const state = new RunModel({ seq: 0, players, pairs: [[0, 1, 2, 0, 1]], standings: null, events: [], failed: [] });
    const ranked = (...places) => ({ players: places.map((place) => ({ name: players[place], games: 3 })) });
    const table = new Crosstable("test");
    document.body.append(table.element);
    const seen = [];
    const show = (change) => {
        change?.();
        state.rank();
        table.show(state);
        seen.push([table.mosaic.note.textContent, table.mosaic.mark.style.top, table.mosaic.mark.style.left]);
    };
    table.show(state);
    table.mosaic.canvas.focus();
    show();
    show(() => { state.standings = ranked(2, 0, 1); });
    table.mosaic.canvas.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight" }));
    table.mosaic.canvas.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight" }));
    table.mosaic.canvas.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowDown" }));
    show();
    show(() => { state.standings = ranked(1, 2, 0); });
    show(() => state.apply({ seq: 1, game: [0, 1, 0] }));
    return seen;
}"""


def test_the_chosen_pair_of_the_crosstable_moves_with_the_ranking(browser: Browser, watch: Watch, site: Pages) -> None:
    page = watch.page(browser)
    page.goto(site.url)
    texts = [
        (text, round(float(top.rstrip("%")) * 0.45), round(float(left.rstrip("%")) * 0.45))
        for text, top, left in page.evaluate(FOLLOWED)
    ]
    assert texts == [
        ("p0", 0, 0),
        ("p2", 0, 0),
        ("p0 – p1: 3 games, 2 won, 0 drawn, 1 lost", 1, 2),
        ("p0 – p1: 3 games, 2 won, 0 drawn, 1 lost", 2, 0),
        ("p0 – p1: 4 games, 3 won, 0 drawn, 1 lost", 2, 0),
    ]


ORDERS = """async () => {
    const names = ["run_model", "crosstable", "standings"];
    const [{ RunModel }, { Crosstable }, { Standings }] =
        await Promise.all(names.map((name) => import(`/static/${name}.js`)));
    const players = ["a", "b", "c"];
    const state = new RunModel({ seq: 0, players, pairs: [[0, 1, 1, 0, 0]], standings: null, events: [], failed: [],
        failures: [0, 0, 0], progress: { benched: {} } });
    const [table, standings] = [new Crosstable("test"), new Standings("test")];
    const orders = () => [
        [...standings.body.children].map((row) => row.dataset.player + row.children[2].textContent).join(""),
        [...table.box.querySelectorAll("tbody th")].map((head) => head.textContent.slice(-1)).join(""),
    ];
    table.show(state);
    standings.show(state);
    const found = [orders()];
    state.standings = { players: ["c", "b", "a"].map((name) => ({ name, elo: 5, plus: 1, minus: 1, games: 1 })) };
    standings.show(state);
    found.push(orders());
    state.rank();
    standings.show(state);
    table.show(state);
    return [...found, orders()];
}"""


def test_standings_and_crosstable_show_one_ranking(browser: Browser, watch: Watch, site: Pages) -> None:
    page = watch.page(browser)
    page.goto(site.url)
    assert page.evaluate(ORDERS) == [["abc", "abc"], ["abc", "abc"], ["c5b5a5", "cba"]]
