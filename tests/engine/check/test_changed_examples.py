"""The examples with one change each fail the step of that change, in the dialects besides UGI; a server that falls."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from engine.check import diagnosis, steps
from engine.check.examination import examine
from engine.check.report import CheckReport, StepResult
from engine.check.subject import subject_of
from games import game
from tests.engine.engine_process import serving
from tests.folders import ROOT
from tests.patience import PATIENCE

HERE = Path(__file__).parent
PYTHON = [sys.executable, "-S", "-E"]
QUICK = 1.0


@pytest.fixture(autouse=True)
def _quickly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(diagnosis, "OTHER_SECONDS", 0.5)
    monkeypatch.setattr(steps, "END_SECONDS", 1.0)


def checked(folder: Path, name: str, changes: dict[str, str], timeout: float = PATIENCE) -> CheckReport:
    """Check an example after replacements in its text."""
    protocol = name.replace("_", "-")
    text = (ROOT / "examples" / f"{name}_random.py").read_text("utf-8")
    for old, new in changes.items():
        assert text.count(old) == 1, old
        text = text.replace(old, new)
    bot = folder / "bot.py"
    bot.write_text(text, "utf-8")
    words = ["{port}", "1"] if protocol == "makemove" else []
    game_id = "gomoku9" if protocol == "gtp" else "uttt"
    return examine(
        subject_of([*PYTHON, str(bot), *words], None, protocol, game(game_id), timeout), lambda _done, _of: None
    )


def failed(report: CheckReport) -> list[StepResult]:
    return [step for step in report.steps if step.passed is False]


CHANGES = [
    ("gtp", "boardsize\\nclear_board", "boardsize", "commands", "a list without clear_board"),
    ("gtp", "    check_side(game, color)\n    point", "    point", "wrong side", "'=' in answer to 'play "),
    (
        "gtp",
        '        case ["clear_board"]:',
        '        case ["xyzzy"]:\n            pass\n        case ["clear_board"]:',
        "unknown command",
        "'=' in answer to 'xyzzy'",
    ),
    (
        "gtp",
        "    point = LETTERS.index",
        '    if vertex == "Z99":\n        return\n    point = LETTERS.index',
        "wrong coordinates",
        "'=' in answer to 'play ",
    ),
    (
        "rowcol",
        "        cell = read_cell(line)",
        '        if line == "xyzzy\\n":\n            raise ValueError("two numbers")\n        cell = read_cell(line)',
        "unknown command",
        "exited with status 1, saying: ValueError: two numbers",
    ),
    ("rowcol", 'play(row, column, "X")', 'play(0, 0, "X")', "legal replies", "it sent '"),
    (
        "rowcol_list",
        "print(choose(opponent, legal), flush=True)",
        "print(legal[0].replace(' ', ','), flush=True)",
        "legal replies",
        "expected 'ROW COLUMN'",
    ),
    ("makemove", 'say("ERROR:unknown command or illegal move")', 'say("OK")', "", "'OK' in answer to "),
    ("makemove", 'if command == "EXIT":\n                return', "pass", "quit", "it still runs 1 s later"),
]


@pytest.mark.parametrize(("name", "old", "new", "step", "got"), CHANGES, ids=[f"{c[0]}: {c[3]}" for c in CHANGES])
def test_a_changed_example_fails_its_step_only(
    tmp_path: Path, name: str, old: str, new: str, step: str, got: str
) -> None:
    found = failed(checked(tmp_path, name, {old: new}))
    expected = [step] if step else ["wrong coordinates", "unknown command", "binary input"]
    assert [one.name for one in found] == expected, found
    assert got in found[0].got


def test_a_refusal_to_begin_is_reported_at_once() -> None:
    bot = "input(); print('ERROR only 9', flush=True); input()"
    subject = subject_of([*PYTHON, "-c", bot], None, "gomocup", game("gomoku15"), 3600)
    (found,) = failed(examine(subject, lambda _done, _of: None))
    assert (found.name, found.expected) == ("handshake", "OK after START")
    assert found.got == "refused to begin; it sent 'ERROR only 9', expected 'OK' after START"


def test_output_that_is_not_flushed_is_named(tmp_path: Path) -> None:
    (found,) = failed(checked(tmp_path, "rowcol", {"print(row, column, flush=True)": "print(row, column)"}, QUICK))
    assert found.name == "legal replies"
    assert "; the answer comes when its input ends: flush standard output after every line" in found.got


def test_a_client_without_set_time_passes(tmp_path: Path) -> None:
    """The published clients know one of the two settings and stay silent at the other."""
    silent = "                seconds = float(value)\n                continue"
    report = checked(tmp_path, "makemove", {"                seconds = float(value)": silent}, 2 * QUICK)
    assert report.passed
    (skipped,) = [step for step in report.steps if step.passed is None]
    assert (skipped.name, skipped.got[:50]) == ("time limits", "no OK after SET_TIME_PER_MOVE: leave send_time out")


@pytest.mark.parametrize(("fault", "names"), [("none", []), ("takes the server down", ["abrupt close"])])
def test_a_server_that_falls_with_a_session(fault: str, names: list[str]) -> None:
    with serving(fault, command=[*PYTHON, str(HERE / "faulty_server.py")]) as server:
        found = failed(
            examine(subject_of([], server.address, "ugi", game("tictactoe"), PATIENCE), lambda _done, _of: None)
        )
    assert [step.name for step in found] == names
