"""A program starts alike, and fails in the same words, in a run, in `engine check` and for `open_engine`."""

from __future__ import annotations

import re
import shutil
import socket
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from fiedler.client import EngineGoneError, open_engine
from fiedler.client.call import Access
from fiedler.engine.check.failure import StepError
from fiedler.engine.check.subject import subject_of
from fiedler.engine.port.bridge import bridge
from fiedler.games import game
from fiedler.support.address import Address
from fiedler.support.errors import UsageError, WorkError
from tests.engine.check.hurry import checked
from tests.engine.engine_process import ENGINE, engine
from tests.folders import ROOT
from tests.patience import PATIENCE
from tests.tournament.schedules import Bench, player

ELSEWHERE = "/usr/bin:/bin"
"""A PATH without the folder of our interpreter."""
BESIDE = ["engine", "serve", "--game", "tictactoe", "--player", "random", "--stdio"]
"""A bot that is found in that folder alone."""
DIALS_IN = ["python3", str(ROOT / "examples" / "makemove_random.py"), "{port}", "{movetime_s}"]


@pytest.fixture(autouse=True)
def elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    assert Path(ENGINE).parent == Path(sys.executable).parent
    monkeypatch.setenv("PATH", ELSEWHERE)
    assert shutil.which("engine") is None


def played_in_a_run(bench: Bench) -> None:
    games = bench.play([{"name": "bot", "command": BESIDE}, player("other")])
    assert {one.termination for one in games} == {"rules"}


def passed_by_check(_: Bench) -> None:
    assert checked(BESIDE, "ugi", "tictactoe").passed


def opened_by_the_client(_: Bench) -> None:
    with open_engine(BESIDE, "tictactoe", start_seconds=PATIENCE) as opened:
        assert opened.play("startpos", 0.1).move


def played_in_a_terminal(_: Bench) -> None:
    done = engine("play", "--game", "tictactoe", "--command", " ".join(BESIDE), said="b2\nquit\n")
    assert (done.returncode, done.stderr) == (0, "")
    assert "Fiedler random plays" in done.stdout


@pytest.mark.parametrize("use", [played_in_a_run, passed_by_check, opened_by_the_client, played_in_a_terminal])
def test_a_bot_beside_our_interpreter_starts_everywhere(bench: Bench, use: Callable[[Bench], None]) -> None:
    use(bench)


def test_a_program_that_connects_gets_its_port_and_a_time_everywhere(bench: Bench) -> None:
    assert checked(DIALS_IN, "makemove", "uttt").passed
    with open_engine(DIALS_IN, "uttt", protocol="makemove", start_seconds=PATIENCE) as opened:
        assert opened.play("startpos", 1.0).move
    two = [{"name": name, "command": DIALS_IN, "protocol": "makemove"} for name in "ab"]
    games = bench.play(two, tournament={"game": "uttt"}, limit={"movetime_ms": 3_600_000, "startup_s": PATIENCE})
    assert {one.termination for one in games} == {"rules"}


def failure_in_a_run(bench: Bench, command: list[str]) -> str:
    with pytest.raises(UsageError) as failed:
        bench.play([{"name": "bot", "command": command}, player("other")])
    return str(failed.value)


def failure_in_check(_: Bench, command: list[str]) -> str:
    try:
        link = subject_of(command, None, "ugi", game("tictactoe"), PATIENCE).link()
    except UsageError as error:
        return str(error)
    assert link.receive(PATIENCE) == b""
    why = link.end()
    link.close()
    return why


def failure_for_the_client(_: Bench, command: list[str]) -> str:
    with pytest.raises((UsageError, EngineGoneError)) as failed:
        open_engine(command, "tictactoe", start_seconds=PATIENCE)
    return str(failed.value)


FAILING = [
    (["./no such"], "cannot start './no such': no such file or directory"),
    (["."], "cannot start '.': permission denied; it is a folder"),
    (["x\0y"], "cannot start 'x\\x00y': embedded null byte"),
    (["sh", "-c", "echo KeyError: model >&2; exit 3"], "exited with status 3, saying: KeyError: model"),
    (["sh", "-c", "kill -9 $$"], "was killed by SIGKILL"),
]


@pytest.mark.parametrize("use", [failure_in_a_run, failure_in_check, failure_for_the_client])
@pytest.mark.parametrize(("command", "words"), FAILING, ids=[words for _, words in FAILING])
def test_a_program_that_fails_fails_in_the_same_words(
    bench: Bench, use: Callable[[Bench, list[str]], str], command: list[str], words: str
) -> None:
    assert words in use(bench, command)


def test_a_port_without_a_listener_is_reported_in_the_same_words() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        address = Address("127.0.0.1", free.getsockname()[1])
    with pytest.raises(StepError) as failed:
        subject_of((), str(address), "ugi", game("tictactoe"), PATIENCE).link()
    assert failed.value.got == f"cannot connect to {address}: connection refused"
    for reach in (lambda: open_engine(str(address), "tictactoe"), lambda: bridge(address, Access())):
        with pytest.raises(WorkError, match=re.escape(failed.value.got) + "$"):
            reach()
