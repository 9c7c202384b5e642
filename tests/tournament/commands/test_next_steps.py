"""The next steps after a command: they work as typed, and only a person at a terminal sees them."""

from __future__ import annotations

import os
import pty
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.patience import PATIENCE
from tests.tournament.manager_process import NODES
from tests.tournament.schedules import player, tables, toml

TOURNAMENT = Path(sys.executable).with_name("tournament")
GAMES = "white,black,result\n" + "the best,b,1-0\nb,the best,0-1\nb,c,1-0\n" * 5


def shown(folder: Path, *words: str) -> list[str]:
    """Return the commands that a terminal shows on standard error."""
    ours, theirs = pty.openpty()
    try:
        subprocess.run(
            [TOURNAMENT, *words], stdout=subprocess.DEVNULL, stderr=theirs, cwd=folder, timeout=PATIENCE, check=True
        )
        os.close(theirs)
        text = _all_of(ours)
    finally:
        os.close(ours)
    _, _, steps = text.partition("next:\r\n")
    return [line.partition("  #")[0].strip() for line in steps.splitlines()]


def _all_of(terminal: int) -> str:
    found = b""
    while True:
        try:
            found += os.read(terminal, 65536)
        except OSError:  # the other end is closed
            return found.decode()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "some games.csv").write_text(GAMES, "utf-8")
    content = tables([player("a"), player("b")], limit=NODES, pairing={"method": "meeting-graph", "pairs": 1})
    (tmp_path / "my schedule.toml").write_text(toml(content), "utf-8")
    return tmp_path


@pytest.mark.parametrize(
    ("words", "most"),
    [
        (("rank", "some games.csv"), 2),
        (("design", "my schedule.toml"), 1),
        (("run", "my schedule.toml", "--dry-run"), 1),
        (("run", "my schedule.toml"), 3),
    ],
)
def test_the_next_steps_work_as_typed(folder: Path, words: tuple[str, ...], most: int) -> None:
    steps = shown(folder, *words)
    assert len(steps) == most
    for step in steps:
        program, *arguments = shlex.split(step)
        assert program in ("tournament", str(TOURNAMENT))
        if arguments[0] != "serve":  # which stays
            subprocess.run([TOURNAMENT, *arguments], capture_output=True, cwd=folder, timeout=PATIENCE, check=True)


@pytest.mark.parametrize("words", [("rank", "some games.csv"), ("design", "my schedule.toml")])
def test_a_script_sees_no_next_steps(folder: Path, words: tuple[str, ...]) -> None:
    done = subprocess.run(
        [TOURNAMENT, *words], capture_output=True, text=True, cwd=folder, timeout=PATIENCE, check=True
    )
    assert "next:" not in done.stdout + done.stderr


def test_a_document_has_no_next_steps(folder: Path) -> None:
    assert shown(folder, "design", "my schedule.toml", "--json") == []
