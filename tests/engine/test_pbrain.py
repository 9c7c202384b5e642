"""The command `pbrain-fiedler`, as a manager of Gomocup starts it: no arguments, pipes, another folder."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

from tests.folders import ROOT
from tests.patience import PATIENCE

COMMAND = [sys.executable, "-c", "from engine.start import pbrain; pbrain()"]


def run(folder: Path, *lines: str, arguments: tuple[str, ...] = ()) -> subprocess.CompletedProcess[str]:
    text = "".join(f"{line}\r\n" for line in lines)
    return subprocess.run(
        [*COMMAND, *arguments], input=text, cwd=folder, capture_output=True, text=True, timeout=PATIENCE, check=False
    )


def test_it_is_a_command() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    assert project["scripts"]["pbrain-fiedler"] == "engine.start:pbrain"


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


def test_a_wrong_argument_is_one_line(tmp_path: Path) -> None:
    ended = run(tmp_path, "START 15", arguments=("--player", "nobody"))
    assert ended.returncode == 2
    assert ended.stdout == ""
    assert ended.stderr.startswith("error: unknown player 'nobody'")


def test_the_strongest_player_plays_by_default(tmp_path: Path) -> None:
    assert 'name="Fiedler negamax gomoku15"' in run(tmp_path, "START 15", "ABOUT").stdout
