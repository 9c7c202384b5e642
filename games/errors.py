"""The errors of positions and moves, for the rules of every game.

The native core raises these very classes: an `except` clause asks for real bases, and a translation would cost a call
for each move. A game without a core raises them itself; each takes its message, one line.
"""

from __future__ import annotations

from fiedler.native import IllegalMoveError, PositionError

__all__ = ["IllegalMoveError", "PositionError"]
