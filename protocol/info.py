"""The report of a search."""

import math
from dataclasses import dataclass

MAX_CP = 9999
"""Largest score in centipawns that we print: beyond it an expected score differs from 1 by less than a float shows."""


@dataclass(frozen=True, slots=True)
class Info:
    """The state of a search. None = not reported. Scores are from the side to move: positive is good for the mover."""

    depth: int | None = None
    """Plies."""
    nodes: int | None = None
    nps: int | None = None
    """Nodes per second."""
    time_ms: int | None = None
    """Milliseconds since `go`."""
    score_cp: int | None = None
    """400·log10(s/(1−s)) for an expected score s in 0..1 (see `centipawns`); 0 for a proven draw."""
    mate: int | None = None
    """Own moves to the forced win; negative: the opponent's, to the forced loss."""
    pv: tuple[str, ...] = ()
    """The principal variation, the move to play first."""

    @property
    def is_unsearched(self) -> bool:
        """Whether it is that of a player that does not search: its even score of one node evaluates nothing."""
        return self.mate is None and (self.score_cp, self.nodes) == (0, 1)


def centipawns(score: float) -> int:
    """Return the `cp` of an expected score in 0..1: 400·log10(s/(1−s)), rounded, within ±MAX_CP.

    Raises:
        ValueError: The score is outside 0..1.
    """
    if not 0.0 <= score <= 1.0:
        raise ValueError(f"expected a score from 0 to 1, got {score}")
    if score in {0.0, 1.0}:
        return MAX_CP if score else -MAX_CP
    return max(-MAX_CP, min(MAX_CP, round(400.0 * math.log10(score / (1.0 - score)))))


def expected_score(cp: int) -> float:
    """Return the expected score 1/(1+10^(−cp/400)), in 0..1, of `cp`; the inverse of `centipawns`."""
    return float(1.0 / (1.0 + 10.0 ** (-max(-MAX_CP, min(MAX_CP, cp)) / 400.0)))
