"""People play engines in a browser: whole games, undo, hints, ratings, two engines, bounds."""

from __future__ import annotations

import http.client
import json
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from playwright.sync_api import Browser, Page, expect

from fiedler import games
from fiedler.web.play.engines import STARTS
from fiedler.web.play.game import PlayedGame
from tests.folders import ROOT
from tests.patience import PATIENCE, wait_until
from tests.web.browser import NARROW, Watch, overflow
from tests.web.pages import Pages
from tests.web.test_server import ask, content

PLAYERS = """
[[players]]
name = "rnd <b>"
player = "random"
options = { seed = 3 }

[[players]]
name = "negamax"
player = "negamax"

[[players]]
name = "broken"
command = ["engine", "serve", "--game", "uttt", "--stdio"]
games = ["cube"]
"""
HELD = """
import os, sys, time
from pathlib import Path
folder = Path(sys.argv[1])
(folder / f"started-{os.getpid()}").touch()
while not (folder / "go").exists():
    time.sleep(0.02)
os.execv(sys.executable, [sys.executable, *sys.argv[2:]])
"""
"""A program that starts for as long as there is no file `go`."""


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pages]:
    """A server that offers players."""
    folder = tmp_path_factory.mktemp("play")
    (folder / "players.toml").write_text(PLAYERS)
    one = Pages(folder, "--play", folder / "players.toml")
    yield one
    assert one.stop() == 0


def say(site: Pages, path: str, **body: object) -> tuple[int, Any]:
    answer: http.client.HTTPResponse = ask(site, f"/api/play{path}", "POST", json.dumps(body))
    return answer.status, json.loads(content(answer))


def state(site: Pages, key: str) -> Any:
    return json.loads(content(ask(site, f"/api/play/{key}")))


def rested(site: Pages, key: str) -> Any:
    """Return the state of a game once no engine thinks."""
    end = time.monotonic() + PATIENCE
    while (found := state(site, key))["thinks"]:
        assert time.monotonic() < end
        time.sleep(0.02)
    return found


def start(page: Page, site: Pages, game: str, **fields: str) -> None:
    page.goto(f"{site.url}/play/{game}")
    expect(page.locator("main[data-ready]")).to_have_count(1)
    for label, value in fields.items():
        page.get_by_label(label.replace("_", " "), exact=True).select_option(value)
    page.get_by_role("button", name="Start").click()
    page.wait_for_url("**?id=*")


def your_turn(page: Page) -> None:
    expect(page.locator(".play-status")).to_contain_text("you")


@pytest.mark.parametrize("game", games.GAMES.values(), ids=games.GAMES)
def test_a_person_plays_an_engine_to_the_end(site: Pages, browser: Browser, watch: Watch, game: games.Game) -> None:
    page = watch.page(browser, reduced_motion="reduce")
    start(page, site, game.id, You_play="first", Against="rnd <b>")
    ply = 0
    while True:
        expect(page.locator(f'svg.board[data-ply="{ply}"]')).to_have_count(1)
        playable = page.locator(".playable")
        if ply >= 24 or playable.count() == 0:
            break
        playable.first.locator(".hit").click()
        if game.steps:
            page.locator(".target").first.locator(".hit").click()
            if page.locator(".board-promotion").count():
                page.locator(".board-promotion button").first.click()
        ply += 2
        page.wait_for_function(
            """(ply) => Number(document.querySelector("svg.board").dataset.ply) >= ply ||
            !document.querySelector(".playable") && !document.body.classList.contains("thinks")""",
            arg=ply,
        )
        ply = int(page.locator("svg.board").get_attribute("data-ply") or 0)
    if page.locator(".playable").count():
        page.get_by_role("button", name="Resign").click()
        expect(page.locator(".play-status")).to_contain_text("you resigned")  # a click is over before its request
    found = rested(site, page.url.rpartition("=")[2].partition("#")[0])
    assert found["result"] in {"1-0", "0-1", "1/2-1/2"}
    expect(page.locator(".play-status")).to_have_text(found["replay"]["text"])
    assert found["names"] == ["you", "rnd <b>"]
    assert " against rnd <b> at 0.1 s a move" in found["replay"]["text"]
    assert page.locator(".playable").count() == 0


@pytest.mark.parametrize(
    ("moves", "resigned", "person", "end"),
    [
        ("b2 a1 c2 a3 a2", None, 0, "you won against easy at 0.1 s a move: X wins by three in a row"),
        ("b2 a1 c2 a3 a2", None, 1, "you lost against easy at 0.1 s a move: X wins by three in a row"),
        ("b2 a1 a2 c2 b3 b1 c1 a3 c3", None, 0, "draw against easy at 0.1 s a move"),
        ("b2", 0, 0, "you lost against easy at 0.1 s a move: you resigned"),
        ("b2", 1, 0, "you won against easy at 0.1 s a move: easy resigned"),
        ("b2", 1, None, "easy resigned: you wins"),
        ("b2 a1 c2 a3 a2", None, None, "X wins by three in a row"),
        ("b2", None, 0, "O to move"),
    ],
)
def test_the_end_names_the_opponent_and_its_level(
    moves: str, resigned: int | None, person: int | None, end: str
) -> None:
    names = ("easy", "you") if person == 1 else ("you", "easy")
    played = PlayedGame(games.game("tictactoe"), names, moves.split(), resigned, person=person, level="0.1 s a move")
    assert played.replay().text == end


def test_a_limit_in_nodes_is_a_level(site: Pages) -> None:
    _, begun = say(site, "", game="tictactoe", second="negamax", nodes=1000)
    _, over = say(site, f"/{begun['id']}/resign")
    assert over["replay"]["text"] == "you lost against negamax at 1,000 nodes a move: you resigned"
    words = urlencode({"first": "you", "second": "negamax", "result": over["result"], "level": over["level"]})
    text = content(ask(site, f"/api/games/tictactoe/record.pgn?{words}"))
    end = (
        '[Termination "normal"]\n[TerminationDetail "resignation"]\n[Level "1,000 nodes a move"]\n[Game "tictactoe"]\n'
    )
    assert f'[Result "0-1"]\n{end}' in text
    variant = content(ask(site, "/api/games/chess960/record.pgn?moves=e2e4"))
    assert '[Game "chess960"]\n[Variant "Chess960"]\n\n1. e4 *' in variant


def test_undo_hint_evaluation_and_reload(site: Pages, browser: Browser, watch: Watch) -> None:
    page = watch.page(browser, viewport=NARROW)
    start(page, site, "connect4", You_play="second", Against="negamax", Limit="n100")
    your_turn(page)
    page.get_by_role("button", name="Hint").click()
    page.locator(".play-evaluation summary").click()
    expect(page.locator(".play-report")).to_contain_text("Hint: ")
    said = page.locator(".play-report").inner_text()
    assert f"line: {said.removeprefix('Hint: ').split()[0]} " in said, "the line begins with the hint"
    assert page.locator(".hinted").count() == 1
    page.locator('[data-name="a6"] .hit').click()
    expect(page.locator('svg.board[data-ply="3"]')).to_have_count(1)
    assert page.locator(".score-line1").get_attribute("d")
    page.get_by_role("button", name="Undo").click()
    expect(page.locator('svg.board[data-ply="1"]')).to_have_count(1)
    your_turn(page)
    before = page.locator(".replay-moves").inner_text(), page.locator(".replay-state").inner_text()
    page.reload()
    expect(page.locator("main[data-ready]")).to_have_count(1)
    assert (page.locator(".replay-moves").inner_text(), page.locator(".replay-state").inner_text()) == before
    assert overflow(page) == []


def test_the_address_may_propose_a_side(site: Pages, browser: Browser, watch: Watch) -> None:
    page = watch.page(browser)
    for query, side in (("", "first"), ("?side=second", "second"), ("?side=watch", "first")):
        page.goto(f"{site.url}/play/tictactoe{query}")
        expect(page.locator("main[data-ready]")).to_have_count(1)
        expect(page.get_by_label("You play", exact=True)).to_have_value(side)


def test_a_hint_is_marked_in_every_view(site: Pages, browser: Browser, watch: Watch) -> None:
    page = watch.page(browser)
    start(page, site, "cube", You_play="first", Against="negamax", Limit="n100")
    your_turn(page)
    page.get_by_role("button", name="Hint").click()
    expect(page.locator(".hinted")).to_have_count(1)
    hinted = page.locator(".hinted").get_attribute("data-name")
    for view in ("Trays", "Turning", "Layers"):
        page.get_by_role("button", name=view).click()
        assert page.locator(".hinted").get_attribute("data-name") == hinted


def test_one_score_is_a_dash(site: Pages, browser: Browser, watch: Watch) -> None:
    page = watch.page(browser)
    start(page, site, "connect4", You_play="second", Against="negamax", Limit="n100")
    your_turn(page)
    line = page.locator(".score-line1")
    assert line.evaluate("(one) => one.getTotalLength()") > 0


def test_two_engines_are_watched_and_the_game_is_saved(site: Pages, browser: Browser, watch: Watch) -> None:
    page = watch.page(browser)
    start(page, site, "tictactoe", You_play="watch", X="rnd <b>", O="negamax")
    expect(page.locator(".play-status")).to_contain_text(
        games.game("tictactoe").position().game and "w", use_inner_text=True
    )
    found = rested(site, page.url.rpartition("=")[2])
    expect(page.locator(".play-status")).to_have_text(found["replay"]["text"])
    with page.expect_download() as download:
        page.get_by_role("link", name="PGN").click()
    saved = Path(download.value.path()).read_text("utf-8")
    assert '[White "rnd <b>"]' in saved
    assert f'[Result "{found["result"]}"]' in saved
    with page.expect_download() as download:
        page.get_by_role("link", name="SGF").click()
    assert "PB[rnd <b>]" in Path(download.value.path()).read_text("utf-8")


def test_a_person_resigns_while_the_engine_thinks(site: Pages) -> None:
    _, begun = say(site, "", game="uttt", first="negamax", time_ms=30_000)
    key = begun["id"]
    assert begun["thinks"]
    status, answer = say(site, f"/{key}/resign")
    assert (status, answer["result"], answer["thinks"], answer["error"]) == (200, "1-0", False, "")
    assert say(site, f"/{key}/retry")[1]["thinks"] is False
    assert rested(site, key)["replay"]["moves"] == [], "the move of a stopped search does not count"


def test_a_click_in_the_turn_of_an_engine_asks_nobody(site: Pages, browser: Browser, watch: Watch) -> None:
    page = watch.page(browser)
    start(page, site, "uttt", You_play="second", Against="negamax", Limit="t30000")
    expect(page.locator(".play-status")).to_contain_text("negamax thinks")
    assert page.locator(".playable").count() == 0
    page.locator('[data-name="e5"] .hit').click(force=True)
    expect(page.locator(".play-reason")).to_have_text("it is the turn of negamax")
    expect(page.get_by_role("alert")).to_be_empty()
    page.get_by_role("button", name="Resign").click()
    expect(page.locator(".play-reason")).to_be_empty()
    page.locator('[data-name="e5"] .hit').click(force=True)
    expect(page.locator(".play-reason")).to_have_text("the game is over")


def test_requests_at_once_start_one_search(site: Pages) -> None:
    _, begun = say(site, "", game="uttt", first="negamax", time_ms=500)
    key = begun["id"]
    with ThreadPoolExecutor(6) as pool:
        for done in [pool.submit(say, site, f"/{key}/{word}") for word in ("undo", "retry") * 3]:
            assert done.result()[0] == 200
    found = rested(site, key)
    assert (len(found["replay"]["moves"]), found["error"]) == (1, "")


def test_an_engine_that_does_not_start_is_named(site: Pages, browser: Browser, watch: Watch) -> None:
    page = watch.page(browser)
    start(page, site, "cube", You_play="second", Against="broken")
    expect(page.get_by_role("alert")).to_contain_text("plays another game than cube")
    expect(page.get_by_role("button", name="Try again")).to_be_visible()


def test_moves_that_are_not_allowed_change_nothing(site: Pages) -> None:
    _, begun = say(site, "", game="tictactoe", second="negamax")
    key = begun["id"]
    assert say(site, f"/{key}/move", move="z9", ply=0)[0] == 409
    assert say(site, f"/{key}/move", move="a1", ply=4)[1] == {"error": "the position has 0 moves, not 4"}
    assert state(site, key)["replay"]["moves"] == []
    status, answer = say(site, f"/{key}/move", move="a1", ply=0)
    assert (status, answer["replay"]["moves"]) == (200, ["a1"])
    assert say(site, f"/{key}/move", move="b2", ply=1)[0] == 409, "not the engine's move"
    assert len(rested(site, key)["replay"]["moves"]) == 2


@pytest.mark.parametrize(
    ("body", "why"),
    [
        ({"game": "checkers"}, "unknown game 'checkers'"),
        ({"game": "cube", "first": "mcts"}, "no player 'mcts' is offered for cube"),
        ({"game": "cube", "time_ms": 30001}, "$.time_ms"),
        ({"game": "cube", "nodes": 0}, "$.nodes"),
        ({"game": "cube", "person": "x" * 41}, "$.person"),
        ({"game": "cube", "command": "sh"}, "unknown field `command`"),
    ],
)
def test_wrong_requests_are_one_sentence(site: Pages, body: dict[str, object], why: str) -> None:
    status, answer = say(site, "", **body)
    assert (status, why in answer["error"]) == (400, True), answer


def test_a_long_request_is_refused(site: Pages) -> None:
    assert say(site, "", game="x" * 5000)[0] == 413


def test_an_address_elsewhere_has_four_games_at_a_time(pages: Any) -> None:
    one = pages("--play", "shipped")
    body = json.dumps({"game": "tictactoe"})

    def begin(address: str) -> http.client.HTTPResponse:
        return ask(one, "/api/play", "POST", body, X_Forwarded_For=address)

    assert [begin("192.0.2.7").status for _ in range(4)] == [201] * 4
    answer = begin("192.0.2.7")
    why = "4 games of your address are under way here, which is the most; close one first"
    assert (answer.status, json.loads(content(answer))) == (429, {"error": why})
    assert [begin("192.0.2.8").status, ask(one, "/api/play", "POST", body).status] == [201, 201]
    network = [begin(f"2001:db8::{number}").status for number in range(5)]
    assert network == [201] * 4 + [429]


def test_a_closed_game_is_gone(site: Pages) -> None:
    _, begun = say(site, "", game="tictactoe", second="negamax")
    assert say(site, f"/{begun['id']}/close")[0] == 200
    answer = ask(site, f"/api/play/{begun['id']}")
    assert (answer.status, say(site, f"/{begun['id']}/undo")[0]) == (404, 404)


def test_a_game_rests_while_its_server_is_away(pages: Any, browser: Browser, watch: Watch) -> None:
    watch.expected |= {
        "ERR_CONNECTION_REFUSED",
        "ERR_INCOMPLETE_CHUNKED_ENCODING",
        "ERR_EMPTY_RESPONSE",
        "ERR_CONNECTION_RESET",
    }
    page, one = watch.page(browser), pages("--play", "shipped")
    start(page, one, "tictactoe", You_play="first", Against="negamax")
    resign = page.get_by_role("button", name="Resign")
    expect(resign).to_be_enabled()
    one.process.kill()
    expect(page.locator(".play-status")).to_have_text("The server does not answer. This page tries again.")
    for name in ("Undo", "Hint", "Resign"):
        expect(page.get_by_role("button", name=name)).to_be_disabled()
    page.locator('[data-name="a1"] .hit').click(force=True)
    expect(page.locator(".play-reason")).to_have_text("The server does not answer. This page tries again.")


def test_a_server_without_players_offers_two_people_a_board(pages: Any, browser: Browser, watch: Watch) -> None:
    page = watch.page(browser)
    page.goto(f"{pages().url}/play/tictactoe")
    expect(page.locator("main[data-ready]")).to_have_count(1)
    assert page.get_by_label("You play").locator("option").count() == 1
    page.locator('[data-name="a1"] .hit').click()
    expect(page.locator('svg.board[data-ply="1"]')).to_have_count(1)
    page.get_by_role("button", name="Resign").click()
    expect(page.locator(".play-status")).to_have_text("O resigned: X wins")
    page.get_by_role("button", name="Undo").click()
    expect(page.locator('svg.board[data-ply="1"]')).to_have_count(1)
    expect(page.locator(".playable")).to_have_count(8)


def test_a_typed_name_gets_a_rating_and_no_name_leaves_no_file(pages: Any, tmp_path: Path) -> None:
    one = pages("--play", "shipped")
    for person, count in (("", 0), ("Ann  Lee", 1)):
        _, begun = say(one, "", game="tictactoe", second="negamax", person=person)
        key, moves = begun["id"], 0
        assert say(one, f"/{key}/resign")[0] == 200
        end = time.monotonic() + PATIENCE
        while count and "Elo" not in (note := state(one, key)["note"]) and "no rating yet" not in note:
            assert time.monotonic() < end
            time.sleep(0.02)
        assert (tmp_path / "results" / "people.sqlite").exists() == bool(count), moves
    with sqlite3.connect(tmp_path / "results" / "people.sqlite") as file:
        rows = file.execute("SELECT person, game, opponent, elo, score FROM games").fetchall()
    file.close()
    assert rows == [("Ann Lee", "tictactoe", "negamax", 0.0, 0.0)]
    assert note == "Ann Lee: 1 rated game, all lost: no rating yet"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("name = 'a'", "players 'a': expected exactly one of player, model, command, address, or "),
        ("name = 'a'\nmodel = 'm.onnx'", "players 'a'.games: expected the games that it plays, got none"),
        (
            "name = 'a'\nplayer = 'osp'\ngames = ['cub']",
            "players 'a'.games: unknown game 'cub'; did you mean 'cube'?",
        ),
        ("name = 'a'\nplayer = 'osp'\ngames = ['generic']", "players 'a'.games: 'generic' is not played by clicks"),
        ("name = 'a'\nplayer = 'osp'\nseed = 1", "players 'a'.seed: unknown key"),
        ("name = 'a'\nplayer = 'hps'", "players 'a'.player: unknown player 'hps'; did you mean 'hsp'?"),
        (
            "name = 'a'\nplayer = 'osp'\nmodel = 'm'\ngames = ['cube']",
            "players 'a'.model: no such file: ",
        ),
        (
            "name = 'a'\nplayer = 'osp'\nmodel = 'p.toml'\ngames = ['cube']",
            "players 'a'.model: player osp takes no model, got ",
        ),
        ("name = 'a'\nplayer = 'osp'\noptions = { sed = 1 }", "players 'a'.options.sed: unknown option of player osp"),
        ("name = 'a'\ncommand = ['']\ngames = ['cube']", "players 'a'.command: expected a program and its arguments"),
        (
            "name = 'a'\naddress = 'a:99999'\ngames = ['cube']",
            "players 'a'.address: expected HOST:PORT with a port from",
        ),
        ("name = 'a'\nmodel = '.'\ngames = ['cube']", "players 'a'.model: expected a regular file, got a folder: "),
        ("name = 'a'\nmodel = 'm'\ngames = ['cube']", "players 'a'.model: no such file: "),
    ],
)
def test_wrong_files_of_players_are_one_line(tmp_path: Path, text: str, why: str) -> None:
    path = tmp_path / "p.toml"
    path.write_text(f"[[players]]\n{text}\n")
    command = [sys.executable, "-m", "fiedler.web", tmp_path, "--port", "0", "--play", path]
    words = [str(word) for word in command]
    done = subprocess.run(words, capture_output=True, text=True, cwd=ROOT, check=False, timeout=PATIENCE)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"error: {path}: {why}")
    assert done.stderr.count("\n") == 1


def test_a_short_name_of_a_game_stands_for_its_id_in_a_file_of_players(tmp_path: Path) -> None:
    players = tmp_path / "players.toml"
    players.write_text("[[players]]\nname = 'mine'\nplayer = 'osp'\ngames = ['c4', 'uttt']\n")
    site = Pages(tmp_path, "--play", players)
    try:
        for game in ("connect4", "uttt"):
            found = json.loads(content(ask(site, f"/api/games/{game}/players")))
            assert [one["name"] for one in found["players"]] == ["mine"]
    finally:
        assert site.stop() == 0


def test_programs_start_in_turns(tmp_path: Path) -> None:
    """A visitor who begins many games at once would take the processor from everybody else."""
    command = [sys.executable, "-c", HELD, str(tmp_path), str(ROOT / "examples/ugi_random.py")]
    players = tmp_path / "players.toml"
    players.write_text(f"[[players]]\nname = 'held'\ncommand = {json.dumps(command)}\ngames = ['uttt']\n")
    site = Pages(tmp_path, "--play", players)
    try:
        keys = [say(site, "", game="uttt", first="held", time_ms=1000)[1]["id"] for _ in range(STARTS + 3)]
        wait_until(lambda: len(list(tmp_path.glob("started-*"))) >= STARTS)
        assert ask(site, "/healthz").status == 200
        assert len(list(tmp_path.glob("started-*"))) == STARTS
        (tmp_path / "go").touch()
        assert [rested(site, key)["error"] for key in keys] == [""] * len(keys)
        assert len(list(tmp_path.glob("started-*"))) == len(keys)
    finally:
        assert site.stop() == 0
