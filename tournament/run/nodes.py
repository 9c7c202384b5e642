"""`nodes.json` in the folder of a run: the nodes that played in it, for `tournament nodes` and the pages."""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path

import msgspec
from msgspec import Struct

from fiedler.support.errors import UsageError, system_reason, unwritable
from fiedler.support.files import read_small

FILE = "nodes.json"
VERSION = 1
"""Version of the file; it rises when a field changes its meaning or is removed."""


class NodeState(StrEnum):
    """The state of a node."""

    JOINING = "joining"
    PLAYING = "playing"
    SILENT = "silent"
    BENCHED = "benched"
    REFUSED = "refused"
    LEFT = "left"


class NodeStatus(Struct):
    """A node, as far as the manager knows it."""

    name: str
    """`n1`, `n2` …, in the order in which they joined."""
    address: str
    state: NodeState = NodeState.JOINING
    why: str = ""
    """The reason of a state other than joining and playing."""
    tables: int = 0
    games: int = 0
    """The games that ended there."""
    games_before: int = 0
    """Those of them before it joined last."""
    void: int = 0
    """The void games."""
    plies: int = 0
    """The moves of its running games, by its last word."""
    nps: float = 0.0
    """Nodes a second of a fixed search."""
    joined: str = ""
    """The moment when it joined; empty before. ISO 8601, UTC."""
    heard: str = ""
    """The moment of its last word."""
    cannot: dict[str, str] = {}
    """The players that do not start there, with the reasons."""


class Nodes(Struct, frozen=True):
    """The contents of the file."""

    v: int
    at: str
    """The moment of writing."""
    cluster: str
    nodes: tuple[NodeStatus, ...]


def earlier_nodes(folder: Path) -> list[NodeStatus]:
    """Return the nodes of the earlier starts of a run, by name; none if their file is damaged."""
    try:
        known = read_nodes(folder)
    except UsageError:
        return []
    nodes = () if known is None else known.nodes
    return [msgspec.structs.replace(node, state=NodeState.LEFT, why="", plies=0) for node in nodes]


class StatusFile:
    """Writes the file whole, and only what has changed."""

    def __init__(self, folder: Path, cluster: str) -> None:
        self._path = folder / FILE
        self._cluster = cluster
        self._written = b""

    def write(self, at: str, nodes: Sequence[NodeStatus]) -> None:
        """Write the nodes, unless the file has them.

        Raises:
            WorkError: the disk does not take it.

        """
        now = msgspec.json.encode(nodes)
        if now == self._written:
            return
        document = msgspec.json.encode(Nodes(VERSION, at, self._cluster, tuple(nodes)))
        partial = self._path.with_name(f"{FILE}.part")
        try:
            partial.write_bytes(document)
            partial.replace(self._path)
        except OSError as error:
            raise unwritable(self._path, error) from error
        self._written = now


def read_nodes(folder: Path) -> Nodes | None:
    """Return the nodes of a run; None if it has never played in a cluster.

    Raises:
        UsageError: the file is damaged.

    """
    path = folder / FILE
    try:
        found = msgspec.json.decode(read_small(path), type=Nodes)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise UsageError(f"{path}: cannot be read: {system_reason(error)}") from None
    except msgspec.MsgspecError as error:
        raise UsageError(f"{path}: expected the nodes of a run, got a damaged file: {error}") from None
    return found
