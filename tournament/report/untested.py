"""Nodes whose results cannot be tested yet: a dash in their table, and a line with the reason below it."""

from __future__ import annotations

from fiedler.tournament.ratings.agreement import untested
from fiedler.tournament.run.node_table import NodeRow, RunNodes
from fiedler.tournament.run.nodes import NodeState
from fiedler.tournament.run.store import Store
from fiedler.tournament.schedule.pairs import shares_games

NO_TEST = "–"


def untested_nodes(store: Store, found: RunNodes | None) -> list[str]:
    """Return lines on why nodes have no test of their results; those that never joined need none."""
    if found is None:
        return []
    rows = [row for row in found.rows if row.agreement is None]
    joined = [row.status.name for row in rows if row.status.games or row.status.state != NodeState.REFUSED]
    pairing = store.schedule.pairing
    is_plain = pairing.kind.fixed and not shares_games(pairing)
    meets_once = is_plain and store.schedule.tournament.games_per_pair == 2
    return untested(store.results_by_node, joined, meets_once=meets_once)


def shown_cells(row: NodeRow) -> tuple[str, ...]:
    """Return the cells of a node; a dash in place of a test that is not possible."""
    *cells, test = row.cells
    return *cells, test or NO_TEST
