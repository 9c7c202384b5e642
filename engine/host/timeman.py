"""The time manager: the time for one move."""

from __future__ import annotations

from fiedler.protocol import Limit

MIN_SECONDS = 1e-4
"""The shortest search; it still gives a move. Zero would mean no limit."""
MAX_MARGIN_MS = 50.0
"""The largest unused part of a clock: for the way to the manager and back, and for a busy machine."""
MAX_MOVETIME_MARGIN_MS = 10.0
SHARE_OF_MOVES = 0.6
"""Games end early: plan for this share of the moves that are still possible."""
SHARE_OF_INCREMENT = 0.8
SHARE_OF_CLOCK = 0.5
"""The largest share of a clock for one move, if others follow."""


def seconds_for(limit: Limit, side: int, plies_left: int) -> float:
    """Return the seconds for this move of `side` (0 first player, 1 second), 0.0 = no limit.

    `plies_left` is the largest possible number of remaining plies, this one included. The result is at most the move
    time and the rest of the mover's clock, but at least MIN_SECONDS.
    """
    budgets = []
    if limit.movetime_ms is not None:
        budgets.append(_of_movetime(limit.movetime_ms))
    clock = limit.p2time_ms if side else limit.p1time_ms
    if clock is not None:
        increment = (limit.p2inc_ms if side else limit.p1inc_ms) or 0
        budgets.append(_of_clock(clock, increment, plies_left))
    return max(min(budgets) / 1000.0, MIN_SECONDS) if budgets else 0.0


def _of_movetime(movetime: float) -> float:
    """Return milliseconds: the move time less the way of the answer."""
    return movetime - min(0.05 * movetime, MAX_MOVETIME_MARGIN_MS)


def _of_clock(left: float, increment: float, plies_left: int) -> float:
    """Return milliseconds: an even share of the clock for each own move to come, and most of the increment."""
    usable = left - min(0.2 * left, MAX_MARGIN_MS)
    own_moves = (plies_left + 1) // 2
    if own_moves <= 1:
        return usable
    share = usable / max(1.0, SHARE_OF_MOVES * own_moves) + SHARE_OF_INCREMENT * increment
    return min(share, SHARE_OF_CLOCK * usable)
