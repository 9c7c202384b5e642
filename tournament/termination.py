"""The ways in which a game ends. Files, messages and pages have the words."""

from __future__ import annotations

from enum import StrEnum


class Termination(StrEnum):
    """The way in which a game ended."""

    RULES = "rules"
    """By the rules of the game."""
    RESIGNATION = "resignation"
    ADJUDICATION = "adjudication"
    """By the referee, before its end by the rules."""
    ILLEGAL_MOVE = "illegal move"
    TIME = "time"
    CRASH = "crash"
    DISCONNECT = "disconnect"


FAILURES = (Termination.ILLEGAL_MOVE, Termination.TIME, Termination.CRASH, Termination.DISCONNECT)
"""Terminations that are a player's failure."""
