"""Fixtures of the tournament manager's tests."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from fiedler.tournament.ratings.bayeselo import VARIABLE
from tests.tournament.ratings.ratings_cases import FOLDER, Program
from tests.tournament.schedules import Bench


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """A folder for a schedule and its runs."""
    return Bench(tmp_path)


@pytest.fixture
def program(tmp_path: Path) -> Program:
    """Installs a program that runs the given Python file with arguments."""

    def install(script: str, *arguments: str) -> Path:
        path = tmp_path / "bin" / f"{script}-{'-'.join(Path(word).stem for word in arguments)}"
        path.parent.mkdir(exist_ok=True)
        words = [sys.executable, str(Path(__file__).parent / "ratings" / f"{script}.py"), *arguments]
        path.write_text(f"#!/bin/sh\nexec {shlex.join(words)}\n", encoding="utf-8")
        path.chmod(0o755)
        return path

    return install


@pytest.fixture
def replayer(program: Program) -> Callable[[str], Path]:
    """Installs a stand-in for the original program that knows one case."""
    return lambda name: program("bayeselo_replayer", str(FOLDER / f"{name}.json"))


@pytest.fixture
def no_bayeselo(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hides an installed program from the test."""
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
