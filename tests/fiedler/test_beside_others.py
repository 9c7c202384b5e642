"""The package and the commands in a folder of a user whose files have the names of our rooms and of Python's own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.folders import ROOT
from tests.patience import PATIENCE

ROOMS = sorted(link.name for link in (ROOT / "fiedler").iterdir() if link.is_symlink())
PYTHONS = ("random", "queue", "statistics")
"""Modules of Python that an author of players may well call a file by."""
THEIRS = "raise RuntimeError('a file of the user was imported')\n"
EVERYTHING = """
import importlib, pkgutil, sys
import fiedler
for name in fiedler.__all__:
    getattr(fiedler, name)
for module in pkgutil.walk_packages(fiedler.__path__, "fiedler."):
    if not module.name.endswith((".__main__", "._core_sanitized")):  # sanitizers want to be loaded first
        importlib.import_module(module.name)
board = fiedler.Board("tictactoe", moves=["b2"])
print(board.svg()[:4], fiedler.rate({"white": ["Ann"], "black": ["Bob"], "result": [1]})["name"])
"""
SCHEDULE = """
[tournament]
name = "beside"
game = "tictactoe"
games_per_pair = 4
concurrency = 2
[limit]
nodes = 10
[pairing]
method = "round-robin"
[openings]
plies = 2
[[players]]
name = "tree"
player = "mcts"
[[players]]
name = "random"
player = "random"
[[players]]
name = "apart"
command = ["engine", "serve", "--game", "tictactoe", "--player", "random", "--stdio"]
"""

pytestmark = [pytest.mark.slow, pytest.mark.programs]


@pytest.fixture(params=["files", "packages"])
def folder(tmp_path: Path, request: pytest.FixtureRequest) -> Path:
    """A folder with a file, or a package, of each name."""
    for name in ROOMS:
        file = tmp_path / (f"{name}.py" if request.param == "files" else f"{name}/__init__.py")
        file.parent.mkdir(exist_ok=True)
        file.write_text(THEIRS, "utf-8")
    return tmp_path


def done(folder: Path, *words: str) -> str:
    program, *rest = words
    found = subprocess.run(
        [Path(sys.executable).with_name(program), *rest],
        cwd=folder, capture_output=True, text=True, timeout=5 * PATIENCE, check=False,
    )  # fmt: skip
    assert found.returncode == 0, found.stdout + found.stderr
    return found.stdout


def test_every_module_is_imported_and_used(folder: Path) -> None:
    assert done(folder, "python", "-W", "ignore", "-c", EVERYTHING) == "<svg ['Ann', 'Bob']\n"


def test_the_commands_work(folder: Path) -> None:
    for name in PYTHONS:
        (folder / f"{name}.py").write_text(THEIRS, "utf-8")
    (folder / "beside.toml").write_text(SCHEDULE, "utf-8")
    assert "tictactoe" in done(folder, "engine", "games")
    assert "tree" in done(folder, "tournament", "run", "beside.toml", "--quiet", "--processes", "2")
    assert "tree" in done(folder, "tournament", "rank", "results/beside/games.pgn")
    done(folder, "train", "list")


def test_the_pages_are_served(folder: Path) -> None:
    (folder / "random.py").write_text(THEIRS, "utf-8")
    (folder / "results").mkdir()
    command = [str(Path(sys.executable).with_name("tournament")), "serve", "--port", "0"]
    with subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE, text=True) as pages:
        assert pages.stderr is not None
        said = next((line for line in pages.stderr if line.startswith(("listening on ", "Runtime"))), "it ended")
        pages.terminate()
        pages.stderr.read()
    assert said.startswith("listening on ")
