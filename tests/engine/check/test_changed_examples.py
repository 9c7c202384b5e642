"""The examples with one change each fail the step of that change, in every dialect; a server that falls."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest

from fiedler.engine.check.examination import examine
from fiedler.engine.check.report import CheckReport
from fiedler.engine.check.subject import subject_of
from fiedler.games import game
from tests.engine.check.hurry import END, PYTHON, QUICK, all_checked, changed_example, checked, failed, hurried, wrong
from tests.engine.engine_process import serving
from tests.patience import PATIENCE

HERE = Path(__file__).parent
GAMES = {"gtp": "gomoku9", "gomocup": "gomoku15", "uci": "connect4"}
"""The games of the examples; of the others it is uttt."""
FLUSH = "it came when its input ended: flush standard output after every line; in Python print(…, flush=True), "
UGI_SAY = 'print(*lines, sep="\\n", flush=True)'
GTP_SAY = 'print(text, end="\\n\\n", flush=True)'
GOMOCUP_SAY = "print(text, flush=True)"
GOMOCUP_OK = 'board.clear(int(value))\n            return "OK"'
GOMOCUP_ABOUT = """return 'name="gomocup_random", version="1", author="me", country="-"'"""
FULL_COLUMN = 'next((move for move in "abcdefg" if moves.count(move) == 6), "") or random.choice(legal_moves(moves) or'
CHOICE = "    x, y = choose(board)\n"


class Change(NamedTuple):
    """A change of an example, the steps that fail, and what the first of them reports."""

    example: str
    old: str
    new: str
    steps: tuple[str, ...] = ()
    got: str = ""
    protocol: str = ""
    """Another protocol than that of the example."""


CHANGES = {
    # ugi, uci
    "ugi: unflushed": Change("ugi", UGI_SAY, 'print(*lines, sep="\\n")', ("handshake",), FLUSH),
    "ugi: no newline": Change("ugi", UGI_SAY, 'print(*lines, end="", flush=True)', ("handshake",), "without a newline"),
    "ugi: CRLF": Change("ugi", UGI_SAY, 'print(*lines, sep="\\r\\n", end="\\r\\n", flush=True)'),
    "ugi: debug output": Change(
        "ugi", "position = read_position(words)", "position = read_position(words); say('set')"
    ),
    "ugi: late move": Change(
        "ugi",
        'say(f"bestmove',
        f'import time; time.sleep({QUICK + 0.1}); say(f"bestmove',
        ("legal replies",),
        "s later: too slow",
    ),
    "uci: unflushed": Change("uci", UGI_SAY, 'print(*lines, sep="\\n")', ("handshake",), FLUSH),
    "uci: full column": Change(
        "uci", "random.choice(legal_moves(moves) or", FULL_COLUMN, ("legal replies",), " is full", "uci"
    ),
    "uci: capitals": Change("uci", 'f"bestmove', 'f"BESTMOVE', ("legal replies",), "expected 'bestmove"),
    "ugi as uci": Change("ugi", "", "", ("handshake",), "check it with --protocol ugi,", "uci"),
    # gtp
    "gtp: unflushed": Change("gtp", GTP_SAY, 'print(text, end="\\n\\n")', ("handshake",), FLUSH),
    "gtp: no empty line": Change(
        "gtp",
        GTP_SAY,
        "print(text, flush=True)",
        ("handshake",),
        "it sent '= gtp_random' without the empty line that ends an answer",
    ),
    "gtp: no empty line after a list": Change(
        "gtp",
        GTP_SAY,
        'print(text, end="\\n" if "\\n" in text else "\\n\\n", flush=True)',
        ("handshake",),
        "it sent '= name' without the empty line that ends an answer",
    ),
    "gtp: debug output": Change("gtp", "    column, row = choose", "    print('thinking')\n    column, row = choose"),
    "gtp: a comment after the move": Change("gtp", GTP_SAY, 'print(text, end="\\n# thought\\n\\n", flush=True)'),
    "gtp: letter I": Change("gtp", '"ABCDEFGHJ', '"ABCDEFGHIJ', ("legal replies",), "GTP leaves out the letter I: J"),
    "gtp: commands": Change("gtp", "boardsize\\nclear_board", "boardsize", ("commands",), "a list without clear_board"),
    "gtp: any side": Change("gtp", "    check_side(game, color)\n    point", "    point"),
    "gtp: unknown command": Change(
        "gtp",
        '        case ["clear_board"]:',
        '        case ["xyzzy"]:\n            pass\n        case ["clear_board"]:',
        ("unknown command",),
        "'=' in answer to 'xyzzy'",
    ),
    "gtp: wrong coordinates": Change(
        "gtp",
        "    point = LETTERS.index",
        '    if vertex == "Z99":\n        return\n    point = LETTERS.index',
        ("wrong coordinates",),
        "'=' in answer to 'play ",
    ),
    # gomocup
    "gomocup: unflushed": Change("gomocup", GOMOCUP_SAY, "print(text)", ("handshake",), FLUSH),
    "gomocup: no OK": Change("gomocup", GOMOCUP_OK, 'board.clear(int(value))\n            return ""'),
    "gomocup: no ABOUT": Change("gomocup", GOMOCUP_ABOUT, 'return ""'),
    "gomocup: ABOUT unknown": Change("gomocup", GOMOCUP_ABOUT, 'return "UNKNOWN"'),
    "gomocup: debug output": Change("gomocup", CHOICE, f"{CHOICE}    print('thinking', flush=True)\n"),
    "gomocup: debug output after the move": Change(
        "gomocup", GOMOCUP_SAY, "print(text, 'MESSAGE thought', '', 'thought', sep='\\n', flush=True)"
    ),
    "gomocup: blank in a point": Change("gomocup", 'return f"{x},{y}"', 'return f"{x}, {y}"'),
    "gomocup: OK after INFO": Change(
        "gomocup", '(int(number))\n            return ""', '(int(number))\n            return "OK"'
    ),
    "gomocup: without BOARD": Change(
        "gomocup", 'case "BOARD"', 'case "NONE"', ("legal replies",), "refused: UNKNOWN BOARD"
    ),
    "gomocup: exits at unknown command": Change(
        "gomocup",
        '        case "START"',
        '        case "XYZZY":\n            raise KeyError(command)\n        case "START"',
        ("unknown command",),
        "after 'XYZZY': exited with status 1, saying: KeyError: 'XYZZY'",
    ),
    "gomocup: accepts any point": Change(
        "gomocup",
        '        case "START"',
        '        case "TURN" if value == "99,99":\n            return "0,0"\n        case "START"',
        ("wrong coordinates",),
        "'0,0' in answer to 'TURN 99,99'",
    ),
    "gomocup: traceback": Change("gomocup", CHOICE, "    raise KeyError(board)\n", ("legal replies",), "KeyError"),
    "gtp as gomocup": Change("gtp", "", "", ("handshake",), "check it with --protocol gtp,", "gomocup"),
    # rowcol
    "rowcol: unflushed": Change("rowcol", "column, flush=True", "column", ("legal replies",), FLUSH),
    "rowcol: swapped": Change(
        "rowcol",
        "print(row, column, flush=True)",
        "print(*((column, row) if row != column else (row, column)), flush=True)",
        ("legal replies",),
    ),
    "rowcol: unknown command": Change(
        "rowcol",
        "        cell = read_cell(line)",
        '        if line == "xyzzy\\n":\n            raise ValueError("two numbers")\n        cell = read_cell(line)',
        ("unknown command",),
        "exited with status 1, saying: ValueError: two numbers",
    ),
    "rowcol: words after the move": Change("rowcol", "column, flush=True", "column, 0.57, 'nodes', flush=True"),
    "rowcol: a blank line after the move": Change("rowcol", "column, flush=True", "column, end='\\n\\n', flush=True"),
    "rowcol-list: a blank line before the move": Change(
        "rowcol_list", "print(choose(", "print()\n            print(choose("
    ),
    "rowcol: illegal move": Change(
        "rowcol", 'play(row, column, "X")', 'play(0, 0, "X")', ("legal replies",), "it sent"
    ),
    "rowcol-list: comma": Change(
        "rowcol_list",
        "print(choose(opponent, legal), flush=True)",
        "print(legal[0].replace(' ', ','), flush=True)",
        ("legal replies",),
        "expected 'ROW COLUMN'",
    ),
    "rowcol as rowcol-list": Change(
        "rowcol", "", "", ("legal replies",), "check it with --protocol rowcol,", "rowcol-list"
    ),
    "rowcol-list as rowcol": Change(
        "rowcol_list", "", "", ("legal replies",), "check it with --protocol rowcol-list,", "rowcol"
    ),
    # makemove
    "makemove: OK to bad input": Change(
        "makemove",
        'say("ERROR:unknown command or illegal move")',
        'say("OK")',
        ("wrong coordinates", "unknown command", "binary input"),
        "'OK' in answer to ",
    ),
    "makemove: blank lines and debug output": Change("makemove", 'f"{answer}\\n"', 'f"thinking\\n {answer}\\n\\n"'),
    "makemove: ignores EXIT": Change(
        "makemove", 'if command == "EXIT":\n                return', "pass", ("quit",), f"it still runs {END:g} s later"
    ),
    "makemove: no SET_TIME_PER_MOVE": Change(
        "makemove", "seconds = float(value)\n", "seconds = float(value)\n                continue\n"
    ),
}
LOSES_NO_GAME = {
    **dict.fromkeys(("ugi", "uci", "gtp"), ("wrong coordinates",)),
    **dict.fromkeys(
        ("rowcol", "rowcol-list", "makemove", "gomocup"), ("wrong coordinates", "unknown command", "binary input")
    ),
}
"""The steps whose failure is a remark: the manager never sends such a line."""
SILENT = ("late", "as ", "BOARD", "SET_TIME", "letter I", "empty line", "capitals", "unflushed", "newline")
"""Words in the names of changes after which an answer is missing."""


@pytest.fixture(scope="module")
def reports(tmp_path_factory: pytest.TempPathFactory) -> dict[str, CheckReport]:
    """The reports of all changed examples."""
    folder = tmp_path_factory.mktemp("bots")
    commands = {
        name: changed_example(folder, one.example, {one.old: one.new} if one.old else {})
        for name, one in CHANGES.items()
    }

    def check(name: str) -> CheckReport:
        one = CHANGES[name]
        words = ["{port}", "1"] if one.example == "makemove" else []
        protocol = one.protocol or one.example.replace("_", "-")
        game_id = GAMES.get(protocol, "uttt")
        seconds = QUICK if any(word in name for word in SILENT) else PATIENCE
        return checked([*commands[name], *words], protocol, game_id, seconds)

    return all_checked(CHANGES, check)


@pytest.mark.parametrize("name", CHANGES)
def test_a_changed_example_fails_its_step_only(reports: dict[str, CheckReport], name: str) -> None:
    found = wrong(reports[name])
    assert [*found] == [*CHANGES[name].steps], found
    assert CHANGES[name].got in "".join([*found.values()][:1])
    remarks = {step.name for step in reports[name].steps if step.grade == "remark"}
    assert remarks == {step for step in CHANGES[name].steps if step in LOSES_NO_GAME[reports[name].dialect]}
    assert reports[name].passed == (remarks == found.keys())


def test_a_refusal_to_begin_is_reported_at_once() -> None:
    bot = "input(); print('ERROR only 9', flush=True); input()"
    with hurried():
        found = failed(checked([*PYTHON, "-c", bot], "gomocup", "gomoku15", 3600))
    assert found == {"handshake": "refused to begin; it sent 'ERROR only 9', expected 'OK' after START"}


def test_a_dialect_without_its_first_answer_is_a_remark(reports: dict[str, CheckReport]) -> None:
    assert reports["gomocup: no OK"].steps[0].got.startswith("no OK: the manager waits 5 s for it")
    assert reports["gomocup: no ABOUT"].steps[0].got.startswith("no answer to ABOUT: the manager waits 5 s for it")


def test_a_client_without_set_time_passes(reports: dict[str, CheckReport]) -> None:
    """The published clients know one of the two settings and stay silent at the other."""
    report = reports["makemove: no SET_TIME_PER_MOVE"]
    (skipped,) = [step for step in report.steps if step.passed is None]
    assert (skipped.name, skipped.got[:50]) == ("time limits", "no OK after SET_TIME_PER_MOVE: leave send_time out")


@pytest.mark.parametrize(("fault", "names"), [("none", []), ("takes the server down", ["abrupt close"])])
def test_a_server_that_falls_with_a_session(fault: str, names: list[str]) -> None:
    with hurried(), serving(fault, command=[*PYTHON, str(HERE / "faulty_server.py")]) as server:
        report = examine(subject_of([], server.address, "ugi", game("tictactoe"), PATIENCE), lambda _done, _of: None)
    assert [*failed(report)] == names
