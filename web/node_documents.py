"""The nodes of a run in a cluster: the document of `tournament nodes`, as seldom as its cost demands."""

from __future__ import annotations

import time
from contextlib import suppress
from typing import Any

from fiedler.tournament.run.node_table import node_table
from fiedler.tournament.run.nodes import FILE
from fiedler.tournament.run.store import Store

NODES_S, SHARE = 2.0, 0.02
"""Seconds between two looks at a running run, at least, and the share of a processor that they may take."""


class NodesLook:
    """Looks at the nodes of one run."""

    def __init__(self) -> None:
        self._found: dict[str, Any] | None = None
        self._seen: object = None
        self._due = 0.0

    def look(self, store: Store) -> dict[str, Any] | None:
        """Return the nodes; None if the run has never played in a cluster.

        Raises:
            UsageError: their file is damaged.

        """
        state, changed = store.state, 0
        with suppress(OSError):
            changed = (store.folder / FILE).stat().st_mtime_ns
        now = (changed, state, store.counts.finished)
        if now == self._seen or (state == "running" and time.monotonic() < self._due):
            return self._found
        began = time.thread_time()
        table = node_table(store)
        self._seen, self._found = now, None if table is None else table.document
        self._due = time.monotonic() + max(NODES_S, (time.thread_time() - began) / SHARE)
        return self._found
