"""`tournament serve --public`: everybody reads results, from anywhere; no path, address, reason or command is shown."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from tests.folders import ROOT
from tests.patience import PATIENCE
from tests.tournament.manager_process import NODES
from tests.tournament.schedules import Bench, player
from tests.web.browser import Watch
from tests.web.pages import Pages
from tests.web.runs import play
from tests.web.test_server import ask, content

PLAYERS = [player("a"), player("bad", "crash"), player("c"), player("late", "absent", required=False)]
OPEN = [
    *("/", "/healthz", "/static/run.js", "/runs/test", "/runs/test/games", "/runs/test/games/1"),
    *("/runs/test/player?player=a", "/runs/test/pair?player=a&opponent=bad", "/api/runs", "/api/runs/test"),
    *("/api/runs/test/games", "/api/runs/test/games/1", "/api/runs/test/games/1.pgn", "/api/runs/test/games/1.sgf"),
    *("/api/runs/test/player?player=bad", "/api/runs/test/pair?player=a&opponent=bad"),
    "/api/games/tictactoe/geometry",
]
CLOSED = [
    *("/play", "/play/tictactoe", "/login", "/runs/test/report.html", "/api/runs/test/games.pgn", "/api/games"),
    *("/api/games/tictactoe/players", "/api/play/1", "/metrics"),
]


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Pages, Bench]]:
    """A run with failures, a benched and a missing player, and a damaged run beside it."""
    bench = Bench(tmp_path_factory.mktemp("public"))
    play(bench, PLAYERS, tournament={"bench_after": 1}, limit=NODES)
    broken = bench.results / "broken"
    broken.mkdir()
    (broken / "run.sqlite").write_bytes(b"no database" * 1000)
    one = Pages(bench.results, "--public", "--host", "0.0.0.0")
    yield one, bench
    one.stop()


def test_results_are_open_and_say_nothing_of_the_machine(shown: tuple[Pages, Bench]) -> None:
    server, bench = shown
    secrets = [str(bench.folder), "misbehave", "opening book", "exited with", "python", "run.sqlite", "0.0.0.0"]
    for path in OPEN:
        answer = ask(server, path, host="league.example.org")
        text = content(answer)
        assert answer.status == 200, path
        assert [secret for secret in secrets if secret in text] == [], path
    failed = json.loads(content(ask(server, "/api/runs/test")))["failed"]
    assert [(one["player"], one["termination"], one["detail"]) for one in failed] == [("bad", "crash", "")]
    progress = json.loads(content(ask(server, "/api/runs/test")))["progress"]
    assert progress["benched"] == {"bad": "it gets no more games"}
    assert progress["command"] == ""
    names = {run["name"]: run.get("error") for run in json.loads(content(ask(server, "/api/runs")))["runs"]}
    assert names == {"test": None, "broken": "this run cannot be shown now"}


@pytest.mark.parametrize("path", CLOSED)
def test_everything_else_is_closed(shown: tuple[Pages, Bench], path: str) -> None:
    assert ask(shown[0], path).status == 404


def test_nothing_can_be_changed(shown: tuple[Pages, Bench]) -> None:
    for path in ("/api/play", "/login", "/api/runs"):
        assert ask(shown[0], path, "POST", "{}").status == 404


def test_a_page_offers_nothing_that_is_closed(browser: Browser, watch: Watch, shown: tuple[Pages, Bench]) -> None:
    page = watch.page(browser)
    page.goto(f"http://127.0.0.1:{shown[0].port}/runs/test")
    expect(page.locator(".state")).to_contain_text("interrupted")
    links = page.eval_on_selector_all("a", "all => all.map((one) => one.getAttribute('href'))")
    assert [link for link in links if re.search(r"report|[.]pgn|/play$", link)] == []


@pytest.mark.parametrize(("option", "value"), [("--play", "shipped"), ("--token-file", "tokens")])
def test_what_does_not_fit_is_one_line(bench: Bench, option: str, value: str) -> None:
    path = bench.folder / "tokens"
    path.write_text("a-token-of-many-letters-0123456789\n", encoding="utf-8")
    path.chmod(0o600)
    words = ["--public", option, str(path) if value == "tokens" else value]
    command = [sys.executable, "-m", "fiedler.web", str(bench.folder), *words]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False, cwd=ROOT)
    assert (done.returncode, done.stderr) == (2, f"error: --public: not with {option}\n")
