"""`tournament run --serve`: the pages begin and end with the run, and no game notices."""

from __future__ import annotations

import json
import os
import pty
import signal
import socket
import subprocess
from pathlib import Path
from urllib.request import urlopen

import pytest
from playwright.sync_api import Browser, expect

from tests.patience import PATIENCE, wait_until
from tests.tournament.manager_process import COMMAND, NODES, Manager, children
from tests.tournament.schedules import Bench, player
from tests.web.browser import Watch
from tests.web.runs import HELD, release

WORD = b"\0fiedler.web\0"


def held(bench: Bench) -> None:
    bench.write([player("a", "held"), player("b")], tournament={"games_per_pair": 10}, limit=HELD)


def address(manager: Manager) -> str:
    assert manager.process.stdout is not None
    line = manager.process.stdout.readline()
    assert line.startswith("Watch it at http://127.0.0.1:")
    return line.split()[-1]


def test_the_address_is_printed_and_the_run_can_be_watched(browser: Browser, watch: Watch, bench: Bench) -> None:
    held(bench)
    manager = Manager(bench, "--serve")
    url = address(manager)
    assert url.endswith("/runs/test")
    page = watch.page(browser)
    watch.expected |= {"ERR_"}  # the server ends with the run
    assert getattr(page.goto(url), "status", 0) == 200, "a page waits for its run to begin"
    expect(page.locator(".state")).to_have_text("running")
    (child,) = children(manager.process, WORD)
    parent = os.getpriority(os.PRIO_PROCESS, manager.process.pid)
    assert os.getpriority(os.PRIO_PROCESS, int(child.name)) == min(parent + 10, 19)
    release(bench)
    expect(page.locator(".state")).to_have_text("finished")
    assert manager.end() == (0, "")
    assert not child.exists()


def test_the_death_of_the_pages_is_a_warning_of_nothing(bench: Bench) -> None:
    held(bench)
    manager = Manager(bench, "--serve")
    address(manager)
    (child,) = children(manager.process, WORD)
    os.kill(int(child.name), signal.SIGKILL)
    release(bench)
    assert manager.end() == (0, "")
    assert len(bench.games()) == 10


def test_the_pages_end_with_a_killed_manager(bench: Bench) -> None:
    held(bench)
    manager = Manager(bench, "--serve")
    address(manager)
    (child,) = children(manager.process, WORD)
    manager.process.kill()
    manager.process.communicate()
    wait_until(lambda: not child.exists(), "the pages outlived the manager")


def test_a_port_in_use_stops_no_game(bench: Bench) -> None:
    bench.write([player("a"), player("b")], limit=NODES)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        where = f"127.0.0.1:{taken.getsockname()[1]}"
        code, errors = Manager(bench, "--serve", where).end()
    assert (code, errors) == (0, f"warning: pages: cannot listen on {where}: address already in use\n")


@pytest.mark.parametrize(
    ("where", "line"),
    [
        ("0.0.0.0:1", "expected an address of this machine alone, got 0.0.0.0:1; see `tournament serve`"),
        ("x", "expected HOST:PORT with a port from 1 to 65535, got 'x'"),
    ],
)
def test_a_wrong_address_is_one_line(bench: Bench, where: str, line: str) -> None:
    bench.write([player("a"), player("b")], limit=NODES)
    assert Manager(bench, "--serve", where).end() == (2, f"error: --serve: {line}\n")


def test_in_the_background_the_pages_stay_on_request(bench: Bench) -> None:
    bench.write([player("a"), player("b")], limit=NODES)
    manager = Manager(bench, "--serve", "--stay", "--quiet")
    assert manager.process.stderr is not None
    url = manager.process.stderr.readline().removeprefix("Watch it at ").strip()
    assert manager.process.stderr.readline() == f"The pages stay at {url} until a signal: kill {manager.process.pid}.\n"
    with urlopen(url.replace("/runs/", "/api/runs/"), timeout=PATIENCE) as answer:
        assert json.load(answer)["progress"]["state"] == "finished"
    manager.process.terminate()
    assert manager.end() == (0, "")


def test_pages_that_are_not_asked_for_cannot_stay(bench: Bench) -> None:
    bench.write([player("a"), player("b")], limit=NODES)
    assert Manager(bench, "--stay").end() == (2, "error: --stay: only with --serve, which is missing\n")


def test_on_a_terminal_the_pages_stay(bench: Bench) -> None:
    bench.write([player("a"), player("b")], limit=NODES)
    leader, follower = pty.openpty()
    command = [*COMMAND, "run", str(bench.path), "--results", str(bench.results), "--serve"]
    process = subprocess.Popen(command, stdout=follower, stderr=subprocess.PIPE, text=True)
    os.close(follower)
    text = ""
    while "until Ctrl-C" not in text:
        text += os.read(leader, 1 << 16).decode()
    url = text.partition("Watch it at ")[2].split()[0]
    with urlopen(url.replace("/runs/", "/api/runs/"), timeout=PATIENCE) as answer:
        assert json.load(answer)["progress"]["state"] == "finished"
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=PATIENCE)[1] == ""
    os.close(leader)
    assert process.returncode == 0
    assert not Path(f"/proc/{process.pid}").exists()
