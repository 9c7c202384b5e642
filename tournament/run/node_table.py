"""The nodes of a run as a table: for `tournament nodes`, the report and the pages."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import msgspec
from msgspec import Struct

from fiedler.support.text import p_text
from fiedler.tournament.ratings.agreement import Agreement, agreements
from fiedler.tournament.run.nodes import Nodes, NodeState, NodeStatus, read_nodes
from fiedler.tournament.run.store import Store

HEADER = ("Node", "Address", "State", "Tables", "Games", "a min", "Void", "Speed", "Last word", "χ² of its results")
WORDS = 3
"""The columns of words, before those of numbers."""
OUTLIER = 3.0
"""Standard deviations from which the points of a player at a node are named."""
ENDED = "the manager has ended"


class NodeDocument(NodeStatus, kw_only=True):
    """A node as JSON: what the manager knows of it, and what follows from its games."""

    games_per_minute: float | None
    """Since it joined; null for one that does not play."""
    agreement: Agreement | None
    """Whether its results agree with those elsewhere; null: they do not show it."""
    outliers: dict[str, float]
    """Player -> by how many standard deviations its points here differ from those elsewhere, if by many."""


class NodesDocument(Struct):
    """The nodes of a run as JSON."""

    v: int
    at: str
    """The moment of writing; ISO 8601, UTC."""
    cluster: str
    """The address of the cluster."""
    nodes: list[NodeDocument]


@dataclass(frozen=True)
class NodeRow:
    """A node, with what follows from its games."""

    status: NodeStatus
    per_minute: float | None
    """The games a minute since it joined; None for one that does not play."""
    agreement: Agreement | None
    """Whether its results agree with those elsewhere; None: they do not show it."""

    @property
    def outliers(self) -> dict[str, float]:
        """The players whose points here differ from those elsewhere, by how many standard deviations."""
        if self.agreement is None:
            return {}
        return {name: by for name, by in self.agreement.deviations.items() if abs(by) >= OUTLIER}

    @property
    def document(self) -> NodeDocument:
        """The node as JSON."""
        known = msgspec.structs.asdict(self.status)
        return NodeDocument(**known, games_per_minute=self.per_minute, agreement=self.agreement, outliers=self.outliers)

    @property
    def cells(self) -> tuple[str, ...]:
        """The node in words, for the columns of HEADER."""
        status, test = self.status, self.agreement
        return (
            status.name,
            status.address,
            status.state,
            str(status.tables or ""),
            str(status.games),
            "" if self.per_minute is None else f"{self.per_minute:.1f}",
            str(status.void),
            f"{status.nps / 1000:.0f} kn/s" if status.nps else "",
            datetime.fromisoformat(status.heard).strftime("%H:%M:%S") if status.heard else "",
            "" if test is None else f"{test.chi_square:.1f}, {test.degrees} df, {p_text(test.p_value)}",
        )

    def notes(self) -> Iterator[str]:
        """Yield what else there is to say of the node."""
        status = self.status
        if status.why:
            yield f"{status.name} {status.state}: {status.why}"
        for name, why in status.cannot.items():
            yield f"{status.name}: player {name!r} cannot play there: {why}"
        for name, by in self.outliers.items():
            more = "more" if by > 0 else "less"
            yield f"{status.name}: {name!r} scores {abs(by):.1f} standard deviations {more} than elsewhere"


@dataclass(frozen=True)
class RunNodes:
    """The nodes of a run."""

    nodes: Nodes
    rows: tuple[NodeRow, ...]

    @property
    def document(self) -> dict[str, Any]:
        """The table as JSON."""
        nodes = self.nodes
        shown = NodesDocument(nodes.v, nodes.at, nodes.cluster, [row.document for row in self.rows])
        known: dict[str, Any] = msgspec.to_builtins(shown)
        return known


def node_table(store: Store) -> RunNodes | None:
    """Return the nodes of a run; None if it has never played in a cluster.

    Raises:
        UsageError: their file is damaged.

    """
    known = read_nodes(store.folder)
    if known is None:
        return None
    found = agreements(store.results_by_node)
    is_running = store.state == "running"
    return RunNodes(known, tuple(_row(node, known.at, found.get(node.name), is_running) for node in known.nodes))


def _row(node: NodeStatus, at: str, own: Agreement | None, is_running: bool) -> NodeRow:
    if not is_running and node.state not in (NodeState.LEFT, NodeState.REFUSED):
        node = msgspec.structs.replace(node, state=NodeState.LEFT, why=ENDED)
    return NodeRow(node, _pace(node, at), own if own is not None and own.degrees else None)


def _pace(node: NodeStatus, at: str) -> float | None:
    if node.state != NodeState.PLAYING or not node.joined:
        return None
    minutes = (datetime.fromisoformat(at) - datetime.fromisoformat(node.joined)).total_seconds() / 60
    return round((node.games - node.games_before) / minutes, 2) if minutes > 0 else None
