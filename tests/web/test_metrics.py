"""`tournament serve --metrics`: the numbers, read with Prometheus' own parser."""

from __future__ import annotations

import http.client
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from fiedler.web.play.tables import MOST
from fiedler.web.settings import SiteSettings
from tests.engine.test_metrics import answer, free_port, metrics
from tests.folders import ROOT
from tests.patience import PATIENCE, wait_until
from tests.tournament.schedules import Bench
from tests.web.pages import Pages
from tests.web.test_live import played, stream
from tests.web.test_server import ask, content

Start = Callable[..., Pages]


def test_the_numbers_of_a_server(pages: Start, bench: Bench) -> None:
    played(bench)
    port = free_port()
    one = pages("--metrics", f"127.0.0.1:{port}", "--play", "shipped")
    assert one.lines[0] == f"metrics on http://127.0.0.1:{port}/metrics"
    found = metrics(port)
    limits = {"viewers": SiteSettings.viewers, "play_games": MOST}
    assert {name: found[f"fiedler_{name}_limit"] for name in limits} == limits
    assert (found["fiedler_viewers"], found["fiedler_runs"], found["fiedler_followed_runs"]) == (0, 1, 0)
    with stream(one) as first, stream(one) as second:
        assert next(first)[1] == next(second)[1] == "snapshot"
        assert metrics(port)["fiedler_viewers"] == 2
    wait_until(lambda: metrics(port)["fiedler_viewers"] == 0)
    found = metrics(port)
    assert found["fiedler_viewers_total"] == 2
    assert found["fiedler_followed_runs"] == 1
    assert found["fiedler_events_total"] >= 2
    assert found["fiedler_requests_total/200"] == 2
    sent = found["fiedler_sent_bytes_total"]
    assert ask(one, "/none").status == 404
    body = content(ask(one, "/healthz"))
    begun = ask(one, "/api/play", "POST", json.dumps({"game": "uttt", "first": "", "second": ""}))
    assert begun.status == 201
    found = metrics(port)
    assert found["fiedler_requests_total/404"] == 1
    assert (found["fiedler_requests_total/200"], found["fiedler_requests_total/201"]) == (3, 1)
    assert found["fiedler_sent_bytes_total"] > sent + len(body)
    assert (found["fiedler_play_games"], found["fiedler_play_streams"]) == (1, 0)
    key = json.loads(content(begun))["id"]
    link = http.client.HTTPConnection("127.0.0.1", one.port, timeout=PATIENCE)
    link.request("GET", f"/api/play/{key}/live")
    link.getresponse().readline()
    assert metrics(port)["fiedler_play_streams"] == 1
    link.close()


def test_beyond_loopback_the_numbers_demand_a_token(pages: Start, tmp_path: Path) -> None:
    file = tmp_path / "tokens"
    file.write_text("a-token-of-a-visitor\n", "utf-8")
    file.chmod(0o600)
    port = free_port()
    pages("--token-file", file, "--metrics", f"0.0.0.0:{port}")
    assert answer(port, {})[0] == 401
    status, text = answer(port, {"Authorization": "Bearer a-token-of-a-visitor"})
    assert (status, "fiedler_viewers 0.0" in text) == (200, True)


@pytest.mark.parametrize(
    ("address", "line"),
    [
        ("0.0.0.0:9", "--metrics: 0.0.0.0:9 is not loopback: expected --token-file F, to admit its clients"),
        ("x", "expected HOST:PORT with a port from 1 to 65535, got 'x'"),
        ("no-such-host.invalid:9", "--metrics: unknown host 'no-such-host.invalid'"),
    ],
)
def test_a_wrong_address_of_the_numbers_is_one_line(tmp_path: Path, address: str, line: str) -> None:
    command = [sys.executable, "-m", "fiedler.web", str(tmp_path), "--port", "0", "--metrics", address]
    done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, timeout=PATIENCE, check=False)
    assert (done.returncode, done.stderr) == (2, f"error: {line}\n")
