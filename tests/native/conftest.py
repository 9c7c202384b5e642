"""Every native test that asks for a `game` runs for each of them."""

from __future__ import annotations

import pytest

from fiedler import native


@pytest.fixture(params=native.GAMES)
def game(request: pytest.FixtureRequest) -> str:
    return str(request.param)
