"""Limits from two sides: the protocol's and the player's own."""

from __future__ import annotations

from fiedler.native import Limits


def tighter(limits: Limits, *, depth: int = 0, nodes: int = 0) -> Limits:
    """Return `limits`, tightened by `depth` and `nodes`; 0 = no limit of that kind."""
    return Limits(_least(limits.depth, depth), _least(limits.nodes, nodes), limits.seconds)


def _least(one: int, other: int) -> int:
    return min(one, other) if one and other else one or other
