"""The nodes of a run in a cluster, as a section of the page."""

from __future__ import annotations

from collections.abc import Sequence

from fiedler.tournament.report.html import PageSection, note, paragraph, section, table
from fiedler.tournament.report.untested import shown_cells
from fiedler.tournament.run.node_table import HEADER, WORDS, RunNodes


def nodes_section(found: RunNodes | None, without_test: Sequence[str]) -> PageSection | None:
    """Return the section, with the lines about nodes without a test; None for a run without a cluster."""
    if found is None:
        return None
    return section(
        "Nodes",
        table(HEADER, list(map(shown_cells, found.rows)), left=WORDS),
        *(paragraph(text) for row in found.rows for text in row.notes()),
        *map(paragraph, without_test),
        note(
            "The players should score at each node as they do at the others. χ² tests that over all pairs, without "
            "ratings; a small p says that a node differs."
        ),
    )
