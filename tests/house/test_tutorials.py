"""The tutorials run as they stand: their files are saved and their commands typed, in the order of the page."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.folders import DOCS
from tests.patience import PATIENCE

TUTORIALS = sorted((DOCS / "tutorials").glob("*.md"))
BLOCK = re.compile(r"^```(?:sh|toml)\n(?:# (\S+)\n)?(.*?)^```", re.MULTILINE | re.DOTALL)


def blocks(page: Path) -> Iterator[tuple[str, str]]:
    """Yield the name, empty for commands, and the text of each block."""
    for found in BLOCK.finditer(page.read_text("utf-8")):
        yield found[1] or "", found[2]


@pytest.mark.slow
@pytest.mark.programs
@pytest.mark.parametrize("page", TUTORIALS, ids=lambda page: page.stem)
def test_a_tutorial_runs(page: Path, tmp_path: Path) -> None:
    environment = os.environ | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}
    for name, text in blocks(page):
        if name:
            (tmp_path / name).write_text(text, encoding="utf-8")
            continue
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", text],
            cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=10 * PATIENCE, check=False,
        )  # fmt: skip
        assert not done.returncode, text + done.stdout + done.stderr


def test_there_is_a_tutorial_for_each_user() -> None:
    assert [page.stem for page in TUTORIALS] == ["bot", "checkpoints", "organiser", "play"]
