"""The command `fiedler`: what is installed here, and whether it plays."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from fiedler.client.errors import EngineError
from fiedler.installation import two_games
from fiedler.native import BUILDS
from fiedler.support.errors import WorkError
from tests.folders import ROOT

pytestmark = pytest.mark.programs


def run(*arguments: str, path: str | None = None) -> subprocess.CompletedProcess[str]:
    environment = None if path is None else {"PATH": path}
    command = [sys.executable, "-m", "fiedler", *arguments]
    return subprocess.run(command, capture_output=True, text=True, env=environment, check=False)


def test_the_command_shows_what_is_installed_and_plays_two_games() -> None:
    done = run()
    assert not done.returncode, done.stderr
    first, *lines = done.stdout.splitlines()
    assert first.startswith("fiedler 0.1.0")
    facts = {line[:11].strip(): line[12:] for line in lines}
    assert [*facts] == ["python", "processor", "core", "extras", "left out", "schedules", "games"]
    assert facts["core"].endswith("; 15 games")
    assert all(level in facts["core"] for level in BUILDS)
    extras = {*facts["extras"].split(", "), *facts["left out"].split(", ")}
    assert {"cpu", "gpu", "mqtt", "train", "web"} <= extras
    assert not {"dev", "docs"} & extras
    assert {"cpu", "gpu"} & {*facts["extras"].split(", ")}, "the tests need one of them"
    assert facts["schedules"] == str(ROOT / "configs")
    assert facts["games"].endswith(" in 2 games")


def test_schedules_are_found() -> None:
    assert (Path(run("--schedules").stdout.strip()) / "quickstart.toml").is_file()


@pytest.fixture
def broken(tmp_path: Path) -> Path:
    """Return a program named `engine` that fails."""
    engine = tmp_path / "engine"
    engine.write_text("#!/bin/sh\necho broken >&2\nexit 3\n", encoding="utf-8")
    engine.chmod(0o755)
    return engine


def test_an_engine_of_another_installation_is_not_played(broken: Path) -> None:
    done = run(path=f"{broken.parent}:{os.environ['PATH']}")
    assert not done.returncode, done.stderr


def test_an_installation_that_does_not_play_ends_with_an_error(broken: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fiedler.installation.engine_program", lambda: str(broken))
    with pytest.raises((EngineError, WorkError), match="broken"):
        two_games()
