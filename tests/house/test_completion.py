"""The commands complete words in a shell, as docs/tournament.md shows."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.folders import DOCS

PAGE = (DOCS / "tournament.md").read_text("utf-8")


def completed(words: str) -> list[str]:
    """Return what the shell gets for the last of the words."""
    command, *others = words.split()
    asked = {f"_{command.upper()}_COMPLETE": "bash_complete", "COMP_WORDS": words}
    asked["COMP_CWORD"] = str(len(others))
    program = Path(sys.executable).with_name(command)
    done = subprocess.run([program], env={**os.environ, **asked}, capture_output=True, text=True, check=True)
    return done.stdout.split()


@pytest.mark.programs
@pytest.mark.parametrize(
    ("words", "found"),
    [
        ("tournament ru", "plain,run"),
        ("tournament run --dry", "plain,--dry-run"),
        ("engine ser", "plain,serve"),
        ("train ru", "plain,run"),
    ],
)
def test_a_command_completes_a_word(words: str, found: str) -> None:
    assert completed(words) == [found]


@pytest.mark.programs
def test_bash_takes_the_line_of_the_page() -> None:
    (line,) = [line.strip() for line in PAGE.splitlines() if "bash_source" in line]
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", f"{line}\ncomplete -p tournament"],
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=True,
    )
    assert "_tournament_completion" in done.stdout
