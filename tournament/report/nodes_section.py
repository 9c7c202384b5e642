"""The nodes of a run in a cluster, as a section of the page."""

from __future__ import annotations

from tournament.report.html import PageSection, note, paragraph, section, table
from tournament.run.node_table import HEADER, WORDS, RunNodes


def nodes_section(found: RunNodes | None) -> PageSection | None:
    """Return the section; None for a run that has not played in a cluster."""
    if found is None:
        return None
    return section(
        "Nodes",
        table(HEADER, [row.cells for row in found.rows], left=WORDS),
        *(paragraph(text) for row in found.rows for text in row.notes()),
        note(
            "The players should score at each node as they do at the others. χ² tests that over all pairs, without "
            "ratings; a small p says that a node differs."
        ),
    )
