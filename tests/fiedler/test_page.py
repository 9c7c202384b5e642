"""docs/python.md: every block of Python runs, and prints the block of text below it."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest

from tests.folders import DOCS, ROOT
from tests.patience import PATIENCE

PAGE = (DOCS / "python.md").read_text("utf-8")
BLOCKS = re.findall(r"```python\n(.*?)```\n\n```text\n(.*?)```", PAGE, re.DOTALL)
"""The code and its output."""


def test_every_block_of_python_has_its_output() -> None:
    assert len(re.findall(r"^```python$", PAGE, re.MULTILINE)) == len(BLOCKS)
    assert len(BLOCKS) >= 8


@pytest.mark.parametrize(("code", "output"), BLOCKS, ids=range(len(BLOCKS)))
def test_a_block_prints_its_output(code: str, output: str) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=PATIENCE,
        check=False,
    )
    assert (done.stdout, done.stderr) == (output, "")


def test_an_example_is_short() -> None:
    assert [code for code, _ in BLOCKS if code.count("\n") > 16] == []
