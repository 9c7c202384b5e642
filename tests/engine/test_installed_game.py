"""A game of a package: installed by pip as the page shows it, listed and played by its id."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.engine.engine_process import ENGINE
from tests.folders import DOCS
from tests.own_games import EXAMPLE
from tests.patience import PATIENCE

pytestmark = pytest.mark.programs
PIP = (sys.executable, "-m", "pip", "install", "-q", "--no-index", "--no-deps", "--no-build-isolation")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the package of the page, beside the environment of the tests."""
    folder = tmp_path_factory.mktemp("package")
    page = (DOCS / "games" / "your-own.md").read_text("utf-8")
    (shown,) = re.findall(r"^```toml\n(# pyproject\.toml\n.*?)^```", page, re.MULTILINE | re.DOTALL)
    (folder / "pyproject.toml").write_text(shown, "utf-8")
    shutil.copy(EXAMPLE, folder / "breakthrough.py")
    done = subprocess.run(
        [*PIP, "--disable-pip-version-check", "--target", str(folder / "site"), str(folder)],
        capture_output=True,
        text=True,
        timeout=PATIENCE,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return folder / "site"


def said(site: Path, *words: str, lines: str = "") -> str:
    """Return the output of a command in whose path the packages of a folder are."""
    environment = {**os.environ, "PYTHONPATH": str(site)}
    done = subprocess.run(
        [ENGINE, *words], input=lines, capture_output=True, text=True, timeout=PATIENCE, check=False, env=environment
    )
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def test_an_installed_game_is_listed(site: Path) -> None:
    last = json.loads(said(site, "games", "--json"))["games"][-1]
    assert (last["id"], last["name"]) == ("breakthrough", "breakthrough on 6×6")
    assert said(site, "games").splitlines()[-1].split()[0] == "breakthrough"


def test_an_installed_game_is_played_by_its_id(site: Path) -> None:
    words = ("serve", "--game", "breakthrough", "--player", "random", "--stdio")
    answers = said(site, *words, lines="ugi\nposition startpos moves a2b3\nquery position\ngo nodes 1\n").splitlines()
    assert "response O;oooooooooooo.......x.....xxxxxxxxxxx" in answers
    assert re.fullmatch(r"bestmove [a-f]5[a-f]4", answers[-1])
    assert said(site, "check-game", "breakthrough", "--games", "5").endswith("\nno check failed\n")
