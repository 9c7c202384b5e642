"""The tactics of self-play and of the gate, by one number of the recipe."""

from __future__ import annotations

import pytest

from fiedler.players.checkpoint import CheckpointPlayer
from fiedler.training.alphazero.tactics import tactics


@pytest.mark.parametrize(
    ("positions", "solve", "candidates"),
    [(0, 0, False), (1, 0, True), (99, 0, True), (100, 100, True), (900, 900, True)],
)
def test_one_number_sets_all_tactics(positions: int, solve: int, candidates: bool) -> None:
    assert tactics(positions) == {"threats": positions, "solve": solve, "candidates": candidates}


def test_they_are_options_of_checkpoint() -> None:
    """By default the player has those of 900 positions."""
    options = {one.name: one.default for one in CheckpointPlayer.options()}
    assert {name: options[name] for name in tactics(900)} == tactics(900)
