"""Programs of Debian that some tests run."""

from __future__ import annotations

import pytest

from tools.packages import PROGRAMS, missing


def need(*programs: str) -> None:
    """Leave a test out if a program is not installed; `make test` lists these tests, and ends with an error."""
    if packages := missing({program: PROGRAMS[program] for program in programs}):
        pytest.skip(f"needs the Debian package {', '.join(packages)}")
