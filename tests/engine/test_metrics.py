"""`engine serve --metrics`: the page that Prometheus reads, in its own parser's eyes; and the log beside it."""

from __future__ import annotations

import json
import socket
import urllib.error
import urllib.request
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from tests.engine.engine_process import Client, engine, serving
from tests.patience import PATIENCE, wait_until

UTTT = ("--game", "uttt", "--player", "mcts")
SECRET = "s3cret-of-the-log"


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return int(listener.getsockname()[1])


def metrics(port: int) -> dict[str, float]:
    """Return the samples of the page by name and labels."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=PATIENCE) as page:
        assert page.headers["Content-Type"].startswith("text/plain; version=0.0.4")
        text = page.read().decode()
    return {
        sample.name + "".join(f"/{value}" for value in sample.labels.values()): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def test_the_page_counts_sessions_searches_and_refusals() -> None:
    port = free_port()
    with serving(*UTTT, "--metrics", f"127.0.0.1:{port}", "--max-sessions", "2") as server:
        assert server.said[0] == f"metrics on http://127.0.0.1:{port}/metrics"
        assert metrics(port)["fiedler_sessions"] == metrics(port)["fiedler_sessions_total"] == 0
        with Client(server.port) as one, Client(server.port) as two:
            one.hello().say("go nodes 300")
            one.until("bestmove")
            two.hello()
            with Client(server.port) as three:
                three.say("ugi")
                three.until("info string error")
            found = metrics(port)
        assert found["fiedler_sessions"] == found["fiedler_sessions_total"] == 2
        assert found["fiedler_searches_total"] == found["fiedler_search_seconds_count"] == 1
        assert found["fiedler_search_seconds_bucket/+Inf"] == 1
        assert found["fiedler_search_seconds_bucket/0.001"] in {0, 1}
        assert found["fiedler_search_seconds_sum"] > 0
        assert found["fiedler_nodes_total"] >= 300
        assert found["fiedler_refused_total/sessions"] == 1
        wait_until(lambda: metrics(port)["fiedler_sessions"] == 0)
        with pytest.raises(urllib.error.HTTPError, match="404"):
            urllib.request.urlopen(f"http://127.0.0.1:{port}/other", timeout=PATIENCE)


def test_hostile_readers_of_the_page_disturb_nobody() -> None:
    port = free_port()
    with serving(*UTTT, "--metrics", f"127.0.0.1:{port}") as server, Client(server.port) as client:
        links = [socket.create_connection(("127.0.0.1", port)) for _ in range(10)]
        for at, link in enumerate(links):
            link.sendall(b"GET /" + b"x" * 20_000 if at % 2 else b"\xff")
        client.hello()
        assert metrics(port)["fiedler_sessions"] == 1
        for link in links:
            link.close()
        assert server.end() == 0
        assert server.rest() == ""


def test_silent_readers_of_the_page_leave_for_others() -> None:
    port = free_port()
    with serving(*UTTT, "--metrics", f"127.0.0.1:{port}"):
        silent = [socket.create_connection(("127.0.0.1", port)) for _ in range(40)]
        assert metrics(port)["fiedler_sessions"] == 0
        silent[0].settimeout(PATIENCE)
        assert silent[0].recv(1) == b""
        for link in silent:
            link.close()


def test_a_metrics_address_in_use_is_refused_in_one_line() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"127.0.0.1:{taken.getsockname()[1]}"
        done = engine("serve", *UTTT, "--metrics", address)
    assert done.returncode == 2
    assert done.stderr == f"error: --metrics: cannot listen on {address}: address already in use\n"


@pytest.mark.parametrize("as_json", [False, True])
def test_the_log_has_events_and_lines_and_no_token(tmp_path: Path, *, as_json: bool) -> None:
    tokens = tmp_path / "tokens"
    tokens.write_text(f"{SECRET}\n", encoding="utf-8")
    tokens.chmod(0o600)
    words = ("--token-file", str(tokens), "--log-level", "debug", *(["--log-json"] if as_json else []))
    with serving(*UTTT, *words) as server:
        with Client(server.port) as client, Client(server.port) as stranger:
            client.say(f"token {SECRET}", "ugi", "isready")
            client.until("readyok")
            stranger.say(f"token {SECRET}x")
            assert stranger.until("refused")
        assert server.end() == 0
        log = [line for line in server.rest().splitlines() if "engine.connection" in line or "engine.wire" in line]
    assert not [line for line in log if SECRET in line]
    if as_json:
        entries = [json.loads(line) for line in log]
        assert {"< ugi", "< isready", "> ugiok", "> readyok", "session begins"} <= {entry["event"] for entry in entries}
        assert [entry["why"] for entry in entries if entry["event"] == "client refused"] == ["token"]
        assert {entry["session"] for entry in entries} == {1, 2}
    else:
        assert any('event="< isready" session=1' in line for line in log)
        assert any('event="session begins" session=1 peer=127.0.0.1' in line for line in log)


def test_the_log_of_standard_input_is_on_standard_error() -> None:
    done = engine("serve", *UTTT, "--stdio", "--log-level", "debug", said="ugi\nquit\n")
    assert done.stdout.endswith("ugiok\n")
    assert 'event="< quit"' in done.stderr
    assert 'event="> ugiok"' in done.stderr


def test_beyond_loopback_the_page_demands_a_token(tmp_path: Path) -> None:
    tokens = tmp_path / "tokens"
    tokens.write_text(f"{SECRET}\n", encoding="utf-8")
    tokens.chmod(0o600)
    port = free_port()
    refused = engine("serve", *UTTT, "--metrics", f"0.0.0.0:{port}")
    assert refused.returncode == 2
    assert refused.stderr == (
        f"error: --metrics: 0.0.0.0:{port} is not loopback: expected --token-file F, to admit its clients\n"
    )
    with serving(*UTTT, "--metrics", f"0.0.0.0:{port}", "--token-file", str(tokens)):
        for sent in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": f"Basic {SECRET}"}):
            assert answer(port, sent) == (401, "expected Authorization: Bearer TOKEN\n")
        status, text = answer(port, {"Authorization": f"Bearer {SECRET}"})
        assert status == 200
        assert "fiedler_sessions 0.0" in text


def answer(port: int, headers: dict[str, str]) -> tuple[int, str]:
    """Return status and content of the page."""
    request = urllib.request.Request(f"http://127.0.0.1:{port}/metrics", headers=headers)
    try:
        with urllib.request.urlopen(request, timeout=PATIENCE) as page:
            return page.status, page.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def test_lines_without_carriage_returns_are_a_request() -> None:
    port = free_port()
    with serving(*UTTT, "--metrics", f"127.0.0.1:{port}"), socket.create_connection(("127.0.0.1", port)) as link:
        link.settimeout(PATIENCE)
        link.sendall(b"GET /metrics HTTP/1.0\n\n")
        assert link.recv(15) == b"HTTP/1.1 200 OK"
