"""Engines with one fault each fail the step of that fault, and only that one."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from fiedler.engine.check.plans import PLANS
from fiedler.engine.check.report import NOT_ASKED, CheckReport
from tests.engine.check.hurry import ATTEMPTS, END, PYTHON, QUICK, all_checked, checked, failed, wrong
from tests.folders import ROOT
from tests.patience import FLOODED, PATIENCE

pytestmark = pytest.mark.programs

HERE = Path(__file__).parent
HURRIED = 0.3
"""The time for an answer if not even the first one comes."""
Reports = dict[str, CheckReport]

SILENT = ("shouts", "uci", "no new game", "misspells")
FAULTS = [
    ("mute", "handshake", "nothing within 0.9 s; no ugiok after ugi yet: too slow, or its output is not flushed"),
    ("shouts", "handshake", "nothing within 3 s; it sent 'UGIOK', expected 'ugiok' after ugi"),
    ("uci", "handshake", 'write protocol = "uci" in [[players]]'),
    ("bad option", "options", "expected option name NAME type spin|check|string|combo|button"),
    ("no default", "options", "option 'seed' of type spin without default"),
    ("far default", "options", "default of option 'seed': expected a whole number from 1 to 100, got '500'"),
    ("no max", "options", "option 'seed' of type spin without max"),
    ("no state", "options", "option 'deep' of type check without default"),
    ("default is no var", "options", "expected one of 'a', 'b', got 'c'"),
    ("no new game", "new game", "no readyok after isready yet"),
    ("capitals", "legal replies", "'A1'; did you mean 'a1'?"),
    ("row first", "legal replies", "'0'"),
    ("misspells", "legal replies", "it sent 'bestmov a1', expected 'bestmove a1'"),
    ("wrong in the end", "legal replies", " is taken"),
    ("knows one answer", "queries", "'response false' to query p1turn at the start"),
    ("slow", "time limits", f"the fastest of {ATTEMPTS} took 3"),
    ("two moves after stop", "stop", "a second answer, 'bestmove a1'"),
    ("half lines", "half a line", "'bestmove "),
    (
        "forgets at bad position",
        "wrong coordinates",
        "after 'position startpos moves zz99': then the illegal move 'a1'",
    ),
    ("exits at unknown command", "unknown command", "exited with status 1, saying: KeyError: 'xyzzy'"),
    ("floods at unknown command", "unknown command", FLOODED),
    (
        "exits at binary",
        "binary input",
        r"after '\xff\xfe\x80xyzzy\xf0': exited with status 1, saying: UnicodeDecodeError",
    ),
    ("one session", "several sessions", "exited with status 1, saying: error: already running"),
    ("stays at quit", "quit", f"it still runs {END:g} s later"),
    ("stays at the end of its input", "abrupt close", f"it still runs {END:g} s later"),
]
LOSES_NO_GAME = ("queries", "wrong coordinates")
"""The steps of UGI whose failure is a remark: the manager does not send such a line in this game."""


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


def checking(file: Path, seconds: Callable[[str], float]) -> Callable[[str], CheckReport]:
    return lambda fault: checked([*PYTHON, str(file), fault], "ugi", "tictactoe", seconds(fault))


@pytest.fixture(scope="module")
def faulty(tmp_path_factory: pytest.TempPathFactory) -> Reports:
    """The reports of the engines with one fault, and of the one without any."""

    def seconds(fault: str) -> float:
        return HURRIED if fault == "mute" else QUICK if fault in SILENT else PATIENCE

    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path_factory.mktemp("faulty"))
        faults = ["none", *(fault for fault, _, _ in FAULTS)]
        return all_checked(faults, checking(HERE / "faulty_engine.py", seconds), game_seconds=PATIENCE)


@pytest.fixture(scope="module")
def misbehaving() -> Reports:
    """The reports of the engines of the tournament's tests."""

    def seconds(fault: str) -> float:
        return {"handshake": HURRIED, "new game": QUICK, "legal replies": QUICK}.get(MISBEHAVING[fault], PATIENCE)

    return all_checked(MISBEHAVING, checking(ROOT / "tests" / "players" / "misbehave.py", seconds))


@pytest.mark.parametrize(("fault", "step", "got"), FAULTS, ids=[fault for fault, _, _ in FAULTS])
def test_a_faulty_engine_fails_its_step_only(faulty: Reports, fault: str, step: str, got: str) -> None:
    report = faulty[fault]
    found = wrong(report)
    assert [*found] == [step], found
    assert re.search(got if got is FLOODED else re.escape(got), found[step])
    grade = "remark" if step in LOSES_NO_GAME else "failed"
    assert {one.grade for one in report.steps if one.name == step} == {report.grade} == {grade}
    assert report.passed == (grade == "remark")


@pytest.mark.parametrize("fault", MISBEHAVING)
def test_the_engines_of_the_tournament_fail_their_step_only(misbehaving: Reports, fault: str) -> None:
    step = MISBEHAVING[fault]
    assert [*failed(misbehaving[fault])] == ([step] if step else []), misbehaving[fault]


def test_every_step_has_a_faulty_engine() -> None:
    assert {step for _, step, _ in FAULTS} == {step.name for step in PLANS["ugi"].steps}


def test_an_engine_without_a_fault_passes(faulty: Reports) -> None:
    assert faulty["none"].passed
    assert wrong(faulty["none"]) == {}


def test_a_wrong_position_that_an_engine_takes_fails_no_later_step() -> None:
    report = checked([*PYTHON, str(HERE / "faulty_engine.py"), "takes any position"], "ugi", "tictactoe")
    assert wrong(report) == {}


def test_after_a_failed_foundation_nothing_is_asked() -> None:
    report = checked([*PYTHON, "-c", "raise SystemExit('error: no opening book')"], "ugi", "tictactoe")
    assert failed(report) == {"handshake": "exited with status 1, saying: error: no opening book"}
    assert {(step.passed, step.got) for step in report.steps[1:]} == {(None, NOT_ASKED)}
