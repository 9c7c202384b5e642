"""The tactics of a network search, by one number: the key `threats` of a recipe."""

from __future__ import annotations

from typing import TypedDict

LEAST_TO_SOLVE = 100
"""Positions: fewer seldom reach the end of the game."""


class Tactics(TypedDict):
    """The settings of native.SelfPlay, and the options of checkpoint, for the help of the game's rules."""

    threats: int
    solve: int
    candidates: bool


def tactics(positions: int) -> Tactics:
    """Return the settings for searches of this many positions at every new node; 0: no help at all."""
    solve = positions if positions >= LEAST_TO_SOLVE else 0
    return {"threats": positions, "solve": solve, "candidates": positions > 0}
