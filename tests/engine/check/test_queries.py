"""`engine check` says whether an engine answers the queries that a game without rules of ours needs."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from fiedler.engine.check.examination import examine
from fiedler.engine.check.report import StepResult
from fiedler.engine.check.subject import subject_of
from fiedler.engine.commands.serve import serve
from fiedler.games.generic import GENERIC
from fiedler.support.errors import UsageError
from tests.engine.check.hurry import checked
from tests.folders import ROOT
from tests.patience import PATIENCE
from tests.tournament.schedules import EXAMPLE

pytestmark = pytest.mark.programs

AGREE = [sys.executable, "-S", "-E", str(ROOT / "tests/players/agree.py"), "least"]
SILENT = [sys.executable, "-S", "-E", str(ROOT / "tests/players/misbehave.py"), "fine"]


def queries(*fault: str) -> StepResult:
    """Check an engine of an unknown game; return the step about the queries."""
    report = examine(subject_of([*AGREE, *fault], None, "ugi", GENERIC, PATIENCE), lambda _done, _of: None)
    assert report.game == "generic"
    (step,) = (one for one in report.steps if one.name == "queries")
    assert report.passed == (step.grade == "passed")
    return step


@pytest.mark.parametrize(
    ("fault", "got"),
    [("fine", "a game of 10 plies: draw"), ("plain", "a game of 10 plies: draw; it lists no legal moves")],
)
def test_an_engine_of_an_unknown_game_plays_one_against_itself(fault: str, got: str) -> None:
    assert queries(fault).got == got


FAULTS = {
    "says:gameover:no": ("'response no' to query gameover at the start", "response true or response false"),
    "skips:p1turn": ("no response to query p1turn at the start", "response true or response false"),
    "says:result:none": (
        "'response none' to query result after 10 moves",
        "response p1win or response p2win or response draw",
    ),
    "lies:legalmoves": ("'1' at the start", "one of its own 0 legal moves"),
    "crashes:p1turn": (
        "exited with status 3, saying: KeyError: no idea",
        "a game whose end, sides and result it reports",
    ),
}


@pytest.mark.parametrize(("fault", "got", "expected"), [(fault, *rest) for fault, rest in FAULTS.items()], ids=FAULTS)
def test_a_wrong_answer_fails(fault: str, got: str, expected: str) -> None:
    step = queries(fault)
    assert (step.grade, step.got, step.expected) == ("failed", got, expected)


def test_in_a_known_game_an_engine_need_not_know_them() -> None:
    report = checked(SILENT, "ugi", "tictactoe")
    (step,) = (one for one in report.steps if one.name == "queries")
    assert (step.grade, step.got) == ("skipped", 'it answers no queries, which only game = "generic" needs')


def test_in_a_known_game_a_wrong_answer_is_a_remark(tmp_path: Path) -> None:
    text = EXAMPLE.read_text("utf-8")
    lie = 'return "true" if position.side == "X" else "false"'
    assert lie in text
    liar = tmp_path / "liar.py"
    liar.write_text(text.replace(lie, 'return "true"'), encoding="utf-8")
    report = checked([sys.executable, "-S", "-E", str(liar)], "ugi", "uttt")
    wrong = {step.name: (step.grade, step.got) for step in report.steps if step.grade not in ("passed", "skipped")}
    ((name, (grade, got)),) = wrong.items()
    assert (name, grade, report.passed) == ("queries", "remark", True)
    assert got == "'response true' to query p1turn after 1 move"


def test_a_game_without_rules_is_not_served() -> None:
    done = CliRunner().invoke(serve, ["--game", "generic", "--player", "random", "--stdio"], input="quit\n")
    assert str(done.exception) == "--game: expected a game whose rules are known here, got 'generic'"


def test_other_protocols_have_no_queries() -> None:
    with pytest.raises(UsageError, match="--protocol: expected one of ugi for generic, got uci"):
        subject_of(AGREE, None, "uci", GENERIC, PATIENCE)
