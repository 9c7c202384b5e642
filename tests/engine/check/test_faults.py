"""Engines with one fault each fail the step of that fault, and only that one."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from engine import link
from engine.check import diagnosis, steps
from engine.check.examination import examine
from engine.check.report import NOT_ASKED, CheckReport
from engine.check.subject import subject_of
from games import game
from tests.folders import ROOT
from tests.patience import PATIENCE

HERE = Path(__file__).parent
PYTHON = [sys.executable, "-S", "-E"]
QUICK = 1.0
"""The time for an answer of an engine that gives none."""
HURRIED = 0.2
"""The same if not even the first answer comes."""


@pytest.fixture(autouse=True)
def _quickly(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(diagnosis, "OTHER_SECONDS", 0.5)
    monkeypatch.setattr(steps, "END_SECONDS", 1.0)
    monkeypatch.setattr(link, "QUIT_SECONDS", 0.2)


def checked(command: list[str], timeout: float = PATIENCE) -> CheckReport:
    return examine(subject_of(command, None, "ugi", game("tictactoe"), timeout), lambda _done, _of: None)


def failed(report: CheckReport) -> dict[str, str]:
    """The steps that failed, with what came."""
    return {step.name: step.got for step in report.steps if step.passed is False}


def faulty(fault: str) -> dict[str, str]:
    timeout = HURRIED if fault == "mute" else QUICK if fault in SILENT else PATIENCE
    report = checked([*PYTHON, str(HERE / "faulty_engine.py"), fault], timeout)
    assert report.passed == (not failed(report))
    return failed(report)


SILENT = ("mute", "shouts", "uci", "no new game", "misspells")
FAULTS = [
    ("mute", "handshake", "nothing within 0.6 s; no ugiok after ugi yet: too slow, or its output is not flushed"),
    ("shouts", "handshake", "nothing within 3 s; it sent 'UGIOK', expected 'ugiok' after ugi"),
    ("uci", "handshake", 'write protocol = "uci" in [[players]]'),
    ("bad option", "options", "expected option name NAME type spin|check|string|combo|button"),
    ("no new game", "new game", "no readyok after isready yet"),
    ("capitals", "legal replies", "'A1'; did you mean 'a1'?"),
    ("row first", "legal replies", "'0'"),
    ("misspells", "legal replies", "it sent 'bestmov a1', expected 'bestmove a1'"),
    ("wrong in the end", "legal replies", ", which has been played before"),
    ("slow", "time limits", "the fastest of 5 took 3"),
    ("two moves after stop", "stop", "a second answer, 'bestmove a1'"),
    ("half lines", "half a line", "'bestmove "),
    ("forgets at bad position", "wrong coordinates", "then the illegal move 'a1'"),
    ("exits at unknown command", "unknown command", "exited with status 1, saying: KeyError: 'xyzzy'"),
    ("floods at unknown command", "unknown command", "sent more than 1 MiB within a second"),
    ("exits at binary", "binary input", "exited with status 1, saying: UnicodeDecodeError"),
    ("one session", "several sessions", "exited with status 1, saying: error: already running"),
    ("stays at quit", "quit", "it still runs 1 s later"),
    ("stays at the end of its input", "abrupt close", "it still runs 1 s later"),
]


@pytest.mark.parametrize(("fault", "step", "got"), FAULTS, ids=[fault for fault, _, _ in FAULTS])
def test_a_faulty_engine_fails_its_step_only(fault: str, step: str, got: str) -> None:
    found = faulty(fault)
    assert [*found] == [step], found
    assert got in found[step]


MISBEHAVING = {
    "echo": "handshake",
    "no-newline": "handshake",
    "exit": "handshake",
    "newgame-crash": "new game",
    "unready": "new game",
    "early": "legal replies",
    "silent": "legal replies",
    "complains": "legal replies",
    "crash": "legal replies",
    "ends-in-mid-line": "legal replies",
    "closes": "legal replies",
    "illegal": "legal replies",
    "garbage": "legal replies",
    "thrice": "legal replies",
    "bare": "legal replies",
    "flood": "legal replies",
    "stays": "quit",
    "noise": "",
    "resign": "",
    "uci": "",
}
"""The engines of the tournament's tests with the step that each fails; the last ones are no faults."""


@pytest.mark.parametrize("fault", MISBEHAVING)
def test_the_engines_of_the_tournament_fail_their_step_only(fault: str) -> None:
    step = MISBEHAVING[fault]
    timeout = {"handshake": HURRIED, "new game": QUICK, "legal replies": QUICK}.get(step, PATIENCE)
    report = checked([*PYTHON, str(ROOT / "tests" / "players" / "misbehave.py"), fault], timeout)
    assert [*failed(report)] == ([step] if step else []), report


def test_every_step_has_a_faulty_engine() -> None:
    assert {step for _, step, _ in FAULTS} == {step.name for step in checked([*PYTHON, "-c", ""]).steps}


def test_an_engine_without_a_fault_passes() -> None:
    assert faulty("none") == {}


def test_after_a_failed_foundation_nothing_is_asked() -> None:
    report = checked([*PYTHON, "-c", "raise SystemExit('error: no opening book')"])
    assert failed(report) == {"handshake": "exited with status 1, saying: error: no opening book"}
    assert {(step.passed, step.got) for step in report.steps[1:]} == {(None, NOT_ASKED)}
