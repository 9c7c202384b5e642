"""`engine check-game`: its report, its exit codes, and rules that print."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from fiedler.games import GAMES
from tests.folders import ROOT
from tests.own_games import BREAKTHROUGH, written
from tests.patience import PATIENCE

pytestmark = pytest.mark.programs
COMMAND = [sys.executable, "-c", "from fiedler.engine.cli import main; main()", "check-game"]


def run(*words: object) -> subprocess.CompletedProcess[str]:
    command = [*COMMAND, *map(str, words), "--timeout", f"{PATIENCE}s"]
    return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)


def test_a_sound_game_has_one_report() -> None:
    done = run(BREAKTHROUGH, "--games", 20)
    assert (done.returncode, done.stderr) == (0, "")
    head, end = done.stdout.splitlines()
    assert head.startswith("breakthrough: 20 games to the end in ")
    assert end == "no check failed"


def test_a_failure_is_a_line_and_the_exit_code_1(tmp_path: Path) -> None:
    place = written(tmp_path / "breakthrough.py", "return Position(str(self))", "print('copied')\n        return self")
    done = run(place, "--games", 3)
    assert (done.returncode, done.stderr) == (1, "")
    lines = done.stdout.splitlines()[1:]
    assert any(line.startswith("copy: play on a copy changes the original: ") for line in lines)
    assert any(line.startswith("output: expected no output, got 'copied") for line in lines)


def test_a_report_in_json(tmp_path: Path) -> None:
    place = written(tmp_path / "breakthrough.py", "most_plies = 85", "most_plies = 3")
    done = run(place, "--games", 2, "--seed", 4, "--json")
    found = json.loads(done.stdout)
    assert (done.returncode, found["game"], found["seed"], found["passed"]) == (1, "breakthrough", 4, False)
    (failure,) = found["failures"]
    assert (failure["check"], len(failure["moves"]), failure["times"]) == ("length", 3, 2)


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("no.py:GAME", "no such file: "),
        ("json:GAME", "json:GAME: there is no GAME in json"),
        ("xx", "unknown game 'xx'"),
    ],
)
def test_no_game_is_the_exit_code_2(name: str, wrong: str) -> None:
    done = run(name)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"error: {wrong}")
    assert len(done.stderr.splitlines()) == 1


SOON = f"from fiedler.games import rules_check; rules_check.LAST_RESORT_S = 5 - {PATIENCE}; "


def test_a_game_that_hangs_outside_python_ends_the_check_with_its_place(tmp_path: Path) -> None:
    hang = "        import ctypes\n        ctypes.PyDLL(None).sleep(86400)\n"
    place = written(tmp_path / "breakthrough.py", "        squares = list(self.squares)\n", hang)
    command = [*COMMAND[:2], SOON + COMMAND[2], COMMAND[3], place, "--timeout", f"{PATIENCE}s"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 1
    assert done.stderr.splitlines()[2].startswith(f'  File "{tmp_path}/breakthrough.py", line '), done.stderr


def engine(*words: str, games: str) -> subprocess.CompletedProcess[str]:
    command = [*COMMAND[:-1], *words]
    environment = {**os.environ, "FIEDLER_GAMES": games}
    return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False, env=environment)


def test_games_of_others_are_listed() -> None:
    done = engine("games", games=BREAKTHROUGH)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[-1].startswith("breakthrough  breakthrough on 6×6: 6×6, two rows of pawns")
    listed = json.loads(engine("games", "--json", games=BREAKTHROUGH).stdout)["games"]
    assert (listed[-1]["id"], listed[-1]["moves"]) == ("breakthrough", None)


def test_a_game_that_cannot_be_used_is_a_warning_of_the_list() -> None:
    done = engine("games", games="no.py:GAME")
    assert (done.returncode, len(done.stdout.splitlines())) == (0, len(GAMES))
    assert done.stderr.startswith("warning: no such file: ")


@pytest.mark.slow
@pytest.mark.parametrize("player", ["random", "greedy"])
def test_the_players_of_the_example_keep_their_protocol(player: str) -> None:
    bot = str(ROOT / "examples" / f"breakthrough_{player}.py")
    words = ("check", "--game", "breakthrough", "--timeout", f"{PATIENCE}s", "--", sys.executable, bot)
    done = engine(*words, games=BREAKTHROUGH)
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "passed: 14 steps"), done.stdout


def test_a_search_needs_a_game_of_the_core() -> None:
    done = engine("perft", "--game", "breakthrough", "--depth", "2", games=BREAKTHROUGH)
    assert (done.returncode, done.stderr) == (2, "error: expected a game of the core, got 'breakthrough'\n")
