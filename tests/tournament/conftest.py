"""Fixtures of the tournament manager's tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tournament.schedules import Bench


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    """A folder to play in."""
    return Bench(tmp_path)
