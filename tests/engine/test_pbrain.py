"""The command `pbrain-fiedler`, as a manager of Gomocup starts it: no arguments, pipes, another folder."""

from __future__ import annotations

import os
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import pytest

from tests.folders import ROOT
from tests.patience import PATIENCE

COMMAND = [sys.executable, "-c", "from fiedler.engine.start import pbrain; pbrain()"]


def run(folder: Path, *lines: str, arguments: tuple[str, ...] = ()) -> subprocess.CompletedProcess[str]:
    text = "".join(f"{line}\r\n" for line in lines)
    return subprocess.run(
        [*COMMAND, *arguments], input=text, cwd=folder, capture_output=True, text=True, timeout=PATIENCE, check=False
    )


def test_it_is_a_command() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["scripts"]["pbrain-fiedler"] == "fiedler.engine.start:pbrain"


def test_it_plays_in_any_folder_and_leaves_nothing_there(tmp_path: Path) -> None:
    info = ["INFO timeout_turn 100", "INFO timeout_match 100000", "INFO game_type 1", "INFO rule 4", "INFO folder x"]
    ended = run(tmp_path, "START 15", *info, "BEGIN", "END")
    lines = [line for line in ended.stdout.splitlines() if line and not line.startswith("MESSAGE")]
    assert (ended.returncode, ended.stderr, lines) == (0, "", ["OK"])  # END comes during the search
    ended = run(tmp_path, "ABOUT", "START 20", "TURN 3,3", arguments=("--player", "hsp"))
    about, ok, point = ended.stdout.splitlines()
    assert about.startswith('name="Fiedler hsp", version=')
    assert ok == "OK"
    assert point.count(",") == 1
    assert list(tmp_path.iterdir()) == []


def test_its_start_loads_one_dialect_and_no_arrays() -> None:
    code = "from fiedler.engine.start import pbrain\ntry: pbrain()\nexcept SystemExit: import sys; print(*sys.modules)"
    given = "START 15\nINFO rule 0\nSTART 20\nABOUT\n"  # at 15 a network of the native core plays
    ended = subprocess.run(
        [sys.executable, "-c", code], input=given, capture_output=True, text=True, timeout=PATIENCE, check=True
    )
    loaded = {*ended.stdout.splitlines()[-1].split()}
    assert "fiedler.players.incremental" in loaded
    assert "fiedler.protocol.gomocup.server" in loaded
    others = {f"fiedler.protocol.{name}" for name in ("gtp", "makemove", "rowcol", "ugi")}
    assert loaded & {"numpy", "asyncio", "msgspec", "onnxruntime", "fiedler.players.model", *others} == set()


LATE = """
from fiedler.support import process_age
from fiedler.engine.port import stdio
stdio.process_age = lambda: process_age.process_age() + 3600.0  # it took an hour to become ready
from fiedler.engine.start import pbrain
pbrain()
"""
LONG = ["INFO timeout_turn 900000", "INFO timeout_match 0", "INFO rule 0"]
SHORT_S = 0.3


class Late:
    """A program that was started an hour ago, and finds these lines at its start."""

    def __init__(self, *lines: str) -> None:
        reading, self._writing = os.pipe()
        self.say(*lines)
        self.process = subprocess.Popen([sys.executable, "-c", LATE], stdin=reading, stdout=subprocess.PIPE, text=True)
        os.close(reading)

    def say(self, *lines: str) -> None:
        os.write(self._writing, "".join(f"{line}\r\n" for line in lines).encode())

    def answer(self) -> str:
        """The next line that is no message."""
        assert self.process.stdout is not None
        while (line := self.process.stdout.readline()).startswith("MESSAGE"):
            pass
        return line.strip()

    def __enter__(self) -> Late:
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._writing)
        self.process.communicate(timeout=PATIENCE)

    def assert_thinks(self, *lines: str) -> None:
        """Assert that it takes its time for a move."""
        asked = time.monotonic()
        self.say(f"INFO timeout_turn {1000 * SHORT_S:.0f}", *lines)
        assert self.answer().count(",") == 1
        assert time.monotonic() - asked > 0.7 * SHORT_S


@pytest.mark.parametrize("opening", [["BEGIN"], ["BOARD", "7,7,2", "DONE"], ["TURN 7,7"]])
def test_a_move_command_that_waits_at_the_start_counts_from_the_start_of_the_process(opening: list[str]) -> None:
    """The full time would be a quarter of an hour, of which nothing is left."""
    with Late("START 15", *LONG, *opening) as program:
        assert program.answer() == "OK"
        assert program.answer().count(",") == 1
        program.assert_thinks("TURN 0,0")


def test_a_manager_that_waits_for_ok_gives_the_whole_time() -> None:
    with Late("START 15") as program:
        assert program.answer() == "OK"
        program.assert_thinks(*LONG[1:], "TURN 7,7")


def test_a_wrong_argument_is_one_line(tmp_path: Path) -> None:
    ended = run(tmp_path, "START 15", arguments=("--player", "nobody"))
    assert ended.returncode == 2
    assert ended.stdout == ""
    assert ended.stderr.startswith("error: unknown player 'nobody'")


def test_the_strongest_player_plays_by_default(tmp_path: Path) -> None:
    assert 'name="Fiedler negamax gomoku15"' in run(tmp_path, "START 15", "ABOUT").stdout
