"""The server of pages: its address, its errors, its door."""

from __future__ import annotations

import asyncio
import http.client
import json
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from starlette.types import Message, Receive, Scope, Send

from fiedler.support.guesses import Guesses
from fiedler.support.tokens import read_tokens
from fiedler.web.guard import Guard
from fiedler.web.settings import SiteSettings
from tests.folders import ROOT
from tests.patience import PATIENCE
from tests.tournament.manager_process import NODES
from tests.tournament.schedules import Bench, player
from tests.web.pages import Pages
from tests.web.runs import play

Start = Callable[..., Pages]


def ask(
    pages: Pages, path: str, method: str = "GET", body: str | None = None, **headers: str
) -> http.client.HTTPResponse:
    """Return the answer to a request; its body has been read into `content`."""
    link = http.client.HTTPConnection(urlsplit(pages.url).netloc, timeout=PATIENCE)
    try:
        link.request(method, path, body, {name.replace("_", "-"): value for name, value in headers.items()})
        answer = link.getresponse()
        answer.content = answer.read()  # type: ignore[attr-defined]
    finally:
        link.close()
    return answer


def content(answer: http.client.HTTPResponse) -> str:
    text: bytes = answer.content  # type: ignore[attr-defined]
    return text.decode()


def test_it_lives_and_ends(pages: Start) -> None:
    one = pages()
    assert content(ask(one, "/healthz")) == "ok\n"
    assert one.stop() == 0
    one.start()
    assert one.stop(signal.SIGINT) == 130


def test_every_answer_has_a_strict_policy(pages: Start) -> None:
    one = pages()
    for path in ("/", "/api/runs", "/static/dom.js", "/no-such-page", "/api/no-such-thing"):
        policy = ask(one, path).headers["Content-Security-Policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy


def test_unknown_addresses_are_one_sentence(pages: Start) -> None:
    one = pages()
    page = ask(one, "/no-such-page")
    assert (page.status, "There is no such page" in content(page)) == (404, True)
    assert json.loads(content(ask(one, "/api/none"))) == {"error": "There is no such page"}


@pytest.mark.parametrize("path", ["/static/../app.py", "/static/%2e%2e%2fapp.py", "/static//etc/passwd", "/static/"])
def test_no_address_leaves_the_static_files(pages: Start, path: str) -> None:
    assert ask(pages(), path).status == 404


def test_a_file_is_sent_once(pages: Start) -> None:
    one = pages()
    first = ask(one, "/static/style.css", Accept_Encoding="gzip")
    assert first.headers["Content-Encoding"] == "gzip"
    assert ask(one, "/static/style.css", If_None_Match=first.headers["ETag"]).status == 304


def test_a_foreign_name_is_refused_without_a_token(pages: Start) -> None:
    one = pages()
    assert ask(one, "/api/runs", Host="evil.example").status == 403
    assert ask(one, "/api/runs", Host="localhost:1").status == 200


@pytest.mark.parametrize("sign", ["Sec_Fetch_Site", "Origin"])
def test_a_request_of_another_site_changes_nothing(pages: Start, sign: str) -> None:
    value = "cross-site" if sign == "Sec_Fetch_Site" else "http://evil.example"
    assert ask(pages(), "/login", "POST", "token=x", **{sign: value}).status == 403


@pytest.mark.parametrize(
    ("method", "path", "headers", "status"),
    [
        ("GET", "/api/runs", {"Host": "["}, 403),
        ("POST", "/api/play", {"Origin": "http://["}, 403),
        ("GET", f"/api/runs/test/games/{'9' * 5000}", {}, 414),
        ("GET", "/runs/none", {}, 404),
        ("GET", "/play/", {}, 200),
    ],
)
def test_hostile_requests_are_one_sentence(
    pages: Start, method: str, path: str, headers: dict[str, str], status: int
) -> None:
    assert ask(pages(), path, method, **headers).status == status


def test_a_token_admits(pages: Start, tmp_path: Path) -> None:
    file = tmp_path / "tokens"
    file.write_text('se;cr"et\n', "utf-8")
    file.chmod(0o600)
    one = pages("--token-file", file, "--host", "0.0.0.0")
    one_url = one.url
    assert ask(one, "/healthz").status == 200
    assert ask(one, "/api/runs").status == 401
    door = ask(one, "/")
    assert (door.status, door.headers["Location"]) == (303, "/login")
    assert ask(one, "/login", "POST", "token=wrong").status == 401
    assert ask(one, "/login", "POST", "token=" + "x" * 5000).status == 413
    entered = ask(one, "/login", "POST", "token=se%3Bcr%22et")
    cookie = entered.headers["Set-Cookie"]
    assert (entered.status, "HttpOnly" in cookie, "SameSite=lax" in cookie) == (303, True, True)
    name = cookie.partition("=")[0]
    assert name == f"fiedler-{urlsplit(one.url).port}", "the cookies of two servers on one host are apart"
    assert ask(one, "/api/runs", Cookie=cookie.split(";")[0]).status == 200
    assert ask(one, "/api/runs", Cookie=f"{name}=00").status == 401
    of_others = f'prefs={{"a":1}}; a@b=x; {cookie.split(";")[0]}'
    assert ask(one, "/api/runs", Cookie=of_others).status == 200
    assert ask(one, "/api/runs", Authorization='Bearer se;cr"et').status == 200
    assert "secret" not in one_url
    assert one.stop() == 0
    assert [line for line in one.lines if "wrong" in line] == ["wrong tokens: 1, the last one from 127.0.0.1"]


def test_guesses_come_late_and_right_tokens_do_not(tmp_path: Path) -> None:
    """By a clock that the test moves: the delay doubles with each wrong token of an address."""
    found: list[float] = []

    class Noted(Guesses):
        def miss(self, peer: str) -> float:
            found.append(super().miss(peer))
            return 0.0

    file = tmp_path / "tokens"
    file.write_text("right\n", "utf-8")
    file.chmod(0o600)
    settings = SiteSettings(tmp_path, tokens=read_tokens(file))

    async def send(_: Message) -> None:
        pass

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        pass

    async def receive() -> Message:
        return {"type": "http.request", "body": b""}

    def ask_with(client: str, *headers: tuple[bytes, bytes]) -> None:
        scope = {"type": "http", "method": "GET", "path": "/", "headers": headers, "client": (client, 1)}
        asyncio.run(guard({**scope, "server": ("a", 1)}, receive, send))

    guard = Guard(app, settings, Noted(clock=lambda: 0.0))
    for token in (b"wrong", b"wrong", b"right", b"wrong"):
        ask_with("192.0.2.1", (b"authorization", b"Bearer " + token))
    ask_with("192.0.2.2", (b"cookie", b"fiedler-1=00"))
    ask_with("192.0.2.3")
    assert found == [0.05, 0.1, 0.2, 0.05]


@pytest.mark.parametrize("stripped", [True, False])
def test_a_path_in_front_may_be_stripped_by_the_proxy(pages: Start, stripped: bool) -> None:
    one = pages("--base-path", "/fiedler")
    assert one.url.endswith("/fiedler")
    text = content(ask(one, "/" if stripped else "/fiedler/"))
    assert 'href="/fiedler/static/style.css"' in text
    assert ask(one, "/static/dom.js" if stripped else "/fiedler/static/dom.js").status == 200
    assert ask(one, "/play/" if stripped else "/fiedler/play/").status == 200


@pytest.mark.parametrize(
    ("options", "line"),
    [
        (
            ["--host", "0.0.0.0"],
            "error: --host: 0.0.0.0 is open to other machines; --token-file is needed, or --public",
        ),
        (["--base-path", "x y"], "error: --base-path: expected a path as /fiedler, got 'x y'"),
        (["no-such-folder"], "error: no-such-folder: expected a folder of runs, got none"),
    ],
)
def test_a_wrong_option_is_one_line(tmp_path: Path, options: list[str], line: str) -> None:
    command = [sys.executable, "-c", "from fiedler.tournament.cli import main; main()", "serve", *options]
    (tmp_path / "results").mkdir()
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, timeout=PATIENCE, check=False)
    assert (done.returncode, done.stderr) == (2, f"{line}\n")


def test_a_port_in_use_is_one_line(pages: Start, tmp_path: Path) -> None:
    one = pages()
    command = [sys.executable, "-m", "fiedler.web", str(tmp_path), "--port", str(one.port)]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=PATIENCE, check=False)
    assert done.returncode == 2
    assert done.stderr == f"error: cannot listen on 127.0.0.1:{one.port}: address already in use\n"


def test_the_document_of_the_runs(pages: Start, bench: Bench) -> None:
    play(bench, [player("a"), player("b")], limit=NODES)
    (damaged := bench.results / "damaged").mkdir()
    (damaged / "run.sqlite").write_text("not a run", "utf-8")
    runs = json.loads(content(ask(pages(), "/api/runs")))["runs"]
    assert [run["name"] for run in runs] == ["test", "damaged"]
    assert "file is not a database" in runs[1]["error"]
    last = runs[0].pop("last")
    assert last.startswith("20")
    counts = {"players": 2, "scheduled": 2, "expected": 2, "finished": 2, "given_up": 0}
    assert runs[0] == {"name": "test", "game": "tictactoe", "state": "finished", **counts}
