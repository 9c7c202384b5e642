"""A thousand viewers of one run."""

from __future__ import annotations

import pytest

from benchmarks.web import measured


@pytest.mark.soak
def test_a_thousand_viewers_stay() -> None:
    found = measured(viewers=1000, seconds=60)
    assert found["viewers"] == 1000
    memory = found["MB"]
    assert isinstance(memory, float)
    assert memory < 200
