"""The limit of one search."""

from dataclasses import dataclass

MAX_MS = 2**31 - 1
"""Longest time in a `go`, in milliseconds (24 days): the largest number every engine's int can hold."""
MAX_DEPTH = 2**31 - 1
MAX_NODES = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Limit:
    """When a search ends: at whichever of these comes first. None = no limit of that kind; times in milliseconds."""

    depth: int | None = None
    """Plies, 1 to MAX_DEPTH."""
    nodes: int | None = None
    """Nodes (simulations, for tree search by playouts), 1 to MAX_NODES."""
    movetime_ms: int | None = None
    """Time for this move, 1 to MAX_MS."""
    p1time_ms: int | None = None
    """Time left on the first player's clock, 0 to MAX_MS; so for the next three."""
    p2time_ms: int | None = None
    p1inc_ms: int | None = None
    """What the first player's clock gains per move."""
    p2inc_ms: int | None = None
    infinite: bool = False
    """Search until `stop`, even when the result is proven."""
