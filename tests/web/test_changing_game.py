"""A game whose moves change many cells: played, watched while it runs, and replayed in a report."""

from __future__ import annotations

import json
import re
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Route, expect

from fiedler import games
from fiedler.games import AnyGame
from fiedler.games.geometry import geometry
from fiedler.games.geometry import to_json as geometry_json
from fiedler.games.position import Position
from fiedler.games.replay import replay
from fiedler.games.replay import to_json as replay_json
from fiedler.tournament.report import viewer
from fiedler.tournament.report.writing import write_report
from tests.flip import FLIP, SKIP
from tests.folders import ROOT
from tests.patience import wait_until
from tests.pawns import PAWNS
from tests.tournament.manager_process import Manager
from tests.tournament.schedules import Bench, Tables
from tests.web.browser import NARROW, Watch, overflow
from tests.web.pages import Pages
from tests.web.runs import HELD, release
from tests.web.test_boards import at_ply, shown_stones
from tests.web.test_server import ask, content

REGISTER = "from fiedler import games; from tests.flip import FLIP, SKIP; games.register(FLIP); games.register(SKIP)"
HOLDS = 9
"""The ply from which the players wait for their release."""


def flipper(name: str, game: AnyGame) -> Tables:
    start = f"import sys; sys.path.insert(0, {str(ROOT)!r}); from tests.players.flip import main; main"
    return {"name": name, "command": [sys.executable, "-c", f"{start}({name!r}, {HOLDS}, {game.id!r})"]}


@contextmanager
def held(bench: Bench, game: AnyGame = FLIP) -> Iterator[Manager]:
    """Yield the manager of a run whose players wait in their first game; then they play to the end."""
    players = [flipper("first", game), flipper("last", game)]
    bench.write(players, tournament={"game": game.id, "games_per_pair": 2}, limit=HELD)
    manager = Manager(bench, "--progress", "all", first=REGISTER)
    try:
        wait_until((bench.folder / "holding").exists)
        yield manager
    finally:
        release(bench)
        ended = manager.end()
    assert ended == (0, "")


@contextmanager
def served(bench: Bench) -> Iterator[str]:
    """Yield the address of pages that show the run."""
    one = Pages(bench.results, module="tests.web.flip_pages")
    try:
        yield one.url
    finally:
        code = one.stop()
    assert code == 0


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    """A finished run and its report."""
    bench = Bench(tmp_path_factory.mktemp("flip"))
    with held(bench):
        pass
    games.register(FLIP)
    write_report(bench.results / "test")
    yield bench
    del games.REGISTERED[FLIP.id]


@pytest.fixture(scope="module")
def site(played: Bench) -> Iterator[Pages]:
    """The pages of the finished run."""
    one = Pages(played.results, module="tests.web.flip_pages")
    yield one
    assert one.stop() == 0


def cells_after(moves: list[str], game: AnyGame = FLIP) -> list[int]:
    return list(game.position(moves=moves).cells)  # type: ignore[attr-defined]


def test_a_running_game_is_watched_to_its_end(bench: Bench, browser: Browser, watch: Watch) -> None:
    with held(bench), served(bench) as url:
        card = watch.page(browser)
        card.goto(f"{url}/runs/test")
        at_ply(card, HOLDS)
        page = watch.page(browser, viewport=NARROW)
        page.goto(f"{url}/runs/test/games/1")
        at_ply(page, HOLDS)
        moves = page.locator(".replay-moves button").all_inner_texts()
        assert shown_stones(card) == shown_stones(page) == cells_after(moves)
        assert card.locator(".last[data-cell]").get_attribute("data-name") == moves[-1]
        release(bench)
        expect(page.locator(".answer")).to_contain_text("more discs")
        expect(page.locator(".files")).to_have_text("PGN")
        game = bench.games()[0]
        at_ply(page, len(game.moves))
        assert shown_stones(page) == cells_after(list(game.moves))
        assert overflow(page) == []
        watch.close()


def test_a_position_that_comes_after_the_end_is_left_out(
    site: Pages, played: Bench, browser: Browser, watch: Watch
) -> None:
    game = played.games()[0]
    document = json.loads(content(ask(site, f"/api/runs/test/games/{game.number}")))
    table = {"moves": game.moves[:4], "first": "a", "second": "b", "clock_ms": None, "score": 50, "depth": 1}
    late = ("tables", {"changed": [table], "ended": []})
    events = [("finished", game.number), late, ("finished", game.number)]
    stream = "".join(f"event: {kind}\ndata: {json.dumps(data)}\n\n" for kind, data in events)
    asked: list[str] = []
    page = watch.page(browser)

    def answer(route: Route) -> None:
        kind = "live" if "/live?" in route.request.url else "replay" if "/replay?" in route.request.url else "game"
        asked.append(kind)
        if asked == ["game"]:
            route.fulfill(json={**document, "result": None, "files": []})  # at first the game runs
        elif kind == "live" and asked.count("live") == 1:
            route.fulfill(content_type="text/event-stream", body=stream)
        elif kind == "live":
            route.fulfill(status=204)
        else:
            route.continue_()

    page.route(re.compile(r"/live\?|/replay\?|/api/runs/test/games/\d+$"), answer)
    page.goto(f"{site.url}/runs/test/games/{game.number}")
    expect(page.locator(".files")).to_have_text("PGN")
    wait_until(lambda: page.evaluate("0") == 0 and asked.count("game") >= 3)
    assert "replay" not in asked
    at_ply(page, len(game.moves))
    assert shown_stones(page) == cells_after(list(game.moves))
    expect(page.locator(".side.first .who")).to_have_text(game.first)


def step_through(page: Page, moves: list[str], game: AnyGame = FLIP) -> None:
    """Go forwards and then backwards, and compare the cells of every ply with those of the rules."""
    page.keyboard.press("Home")
    for ply in range(len(moves) + 1):
        at_ply(page, ply)
        assert shown_stones(page) == cells_after(moves[:ply], game)
        page.keyboard.press("ArrowRight")
    for ply in reversed(range(len(moves))):
        page.keyboard.press("ArrowLeft")
        at_ply(page, ply)
        assert shown_stones(page) == cells_after(moves[:ply], game)


def test_a_finished_game_is_replayed_in_both_directions(
    site: Pages, played: Bench, browser: Browser, watch: Watch
) -> None:
    game = played.games()[0]
    page = watch.page(browser)
    page.goto(f"{site.url}/runs/test/games/{game.number}")
    expect(page.locator("main[data-ready]")).to_have_count(1)
    step_through(page, list(game.moves))
    page.keyboard.press("End")
    last = page.locator(".last[data-cell]")
    assert last.get_attribute("data-name") == [move for move in game.moves if move != "pass"][-1]


def test_a_report_replays_its_games(played: Bench, browser: Browser, watch: Watch) -> None:
    game = played.games()[1]
    page = watch.page(browser, viewport=NARROW)
    page.goto(f"{(played.results / 'test' / 'report.html').as_uri()}#game={game.number}")
    expect(page.locator(".viewer-title")).to_contain_text(f"Game {game.number}: ")
    step_through(page, list(game.moves))
    assert overflow(page) == []


@dataclass(frozen=True, slots=True, kw_only=True)
class Written(AnyGame):
    """A game without cells, whose board has several lines."""

    def draw(self, position: Position, last: int | None = None) -> str:
        return FLIP.draw(position, last)


def test_a_report_has_the_lines_of_text_that_change(
    played: Bench, tmp_path: Path, browser: Browser, watch: Watch, monkeypatch: pytest.MonkeyPatch
) -> None:
    parts = {one.name: getattr(FLIP, one.name) for one in fields(FLIP)}
    monkeypatch.setitem(games.REGISTERED, "flip", Written(**{**parts, "board": None}))
    folder = tmp_path / "text"
    shutil.copytree(played.results / "test", folder, ignore=shutil.ignore_patterns("*.sock"))
    monkeypatch.setattr(viewer, "MOST_BYTES", 5000)
    write_report(folder)
    game = played.games()[0]
    boards = replay(games.REGISTERED["flip"], game.moves).boards  # type: ignore[attr-defined]
    page = watch.page(browser, viewport=NARROW)
    page.goto(f"{(folder / 'report.html').as_uri()}#game={game.number}")
    page.keyboard.press("Home")
    for ply, board in enumerate(boards):
        shown = page.locator(f'.board-text[data-ply="{ply}"]')
        expect(shown).to_have_count(1)
        assert shown.text_content() == board
        page.keyboard.press("ArrowRight")
    expect(page.locator("#viewer [role=status]")).to_have_text("1 game")


def test_a_report_has_the_sides_of_a_game_without_turns(
    tmp_path_factory: pytest.TempPathFactory, browser: Browser, watch: Watch
) -> None:
    bench = Bench(tmp_path_factory.mktemp("skip"))
    with held(bench, SKIP):
        pass
    games.register(SKIP)
    try:
        write_report(bench.results / "test")
    finally:
        del games.REGISTERED[SKIP.id]
    game = next(one for one in bench.games() if one.sides)
    assert {"00", "11"} & {game.sides[at : at + 2] for at in range(len(game.sides))}, "a side moves twice"
    page = watch.page(browser)
    page.goto(f"{(bench.results / 'test' / 'report.html').as_uri()}#game={game.number}")
    step_through(page, list(game.moves), SKIP)
    rows = [one.locator("> *").all_inner_texts() for one in page.locator(".replay-moves li").all()]
    sides = "".join(str(side) for row in rows for side, move in enumerate(row) if move != "…")
    assert sides == game.sides


def test_documents(site: Pages) -> None:
    shown = json.loads(content(ask(site, "/api/games/flip/replay?moves=c5+b5")))
    assert shown["stones"].count(1) == shown["stones"].count(2) == 2
    assert shown["changes"] == [[[8, 1], [14, 1]], [[7, 2], [14, 2]]]
    board = json.loads(content(ask(site, "/api/games/flip/geometry")))
    assert board["stones"] == "signs"
    assert [piece["name"] for piece in board["pieces"]] == list(FLIP.sides)
    assert ask(site, "/play/flip").status == 404
    assert ask(site, "/api/runs/test/games/1.sgf").status == 404


def test_its_files(played: Bench) -> None:
    folder = played.results / "test"
    assert (folder / "games.pgn").read_text("utf-8").count('[Game "flip"]') == 2
    assert not list(folder.glob("figures/*-moves.svg")), "first moves are counted on boards with symmetries alone"


PIECES = """async ([geometry, replay, ply]) => {
    const { Board } = await import("/static/board.js");
    const box = document.querySelector("main");
    new Board(box, geometry).show(replay, ply);
    return [...box.querySelectorAll("[data-cell]")].map((cell) => cell.querySelector(".piece")?.textContent ?? "");
}"""


def test_pieces_of_a_game_move_on_the_board(site: Pages, browser: Browser, watch: Watch) -> None:
    moves = ["a1a2", "b3a2", "b1a2"]
    shown = [json.loads(geometry_json(geometry(PAWNS))), json.loads(replay_json(replay(PAWNS, moves)))]
    page = watch.page(browser, viewport=NARROW)
    page.goto(f"{site.url}/play/tictactoe")
    expect(page.locator("main[data-ready]")).to_have_count(1)
    for ply in (0, 1, 2, 3, 1):
        cells = PAWNS.position(moves=moves[:ply]).cells  # type: ignore[attr-defined]
        assert page.evaluate(PIECES, [*shown, ply]) == [["", "P", "p"][one] for one in cells]
        last = page.locator(".last[data-cell]")
        expect(last).to_have_count(min(ply, 1))
        left = page.locator(".left[data-cell]")
        expect(left).to_have_count(min(ply, 1))
        assert page.locator(".arrow").count() == min(ply, 1)
        assert not ply or [one.get_attribute("data-name") for one in (left, last)] == [
            moves[ply - 1][:2],
            moves[ply - 1][2:],
        ]
    assert overflow(page) == []
