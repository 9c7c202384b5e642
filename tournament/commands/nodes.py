"""The command `tournament nodes`."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import click

from fiedler.support.console import print_json
from fiedler.support.errors import UsageError
from fiedler.support.lock import is_locked
from fiedler.tournament.report.untested import shown_cells, untested_nodes
from fiedler.tournament.run.node_table import HEADER, WORDS, NodeRow, RunNodes, node_table
from fiedler.tournament.run.nodes import read_nodes
from fiedler.tournament.run.run_file import RESULTS, NoRunError, find_run
from fiedler.tournament.run.store import Store


@click.command()
@click.argument("run_name", metavar="RUN")
@click.option("--results", type=click.Path(path_type=Path), default=RESULTS, metavar="DIR", help="Default: results.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def nodes(run_name: str, results: Path, as_json: bool) -> None:
    """Print the nodes of a run that plays, or has played, in a cluster.

    RUN is a folder, or a name under results.
    """
    found, notes = _found(find_run(run_name, results))
    if as_json:
        print_json(found.document)
        return
    for line in _lines(found, notes) if found.rows else notes or ("no node has joined yet",):
        click.echo(line)


def _found(folder: Path) -> tuple[RunNodes, Sequence[str]]:
    """Return the nodes of a run, and notes: why some of them have no test, or that the first ones start.

    Raises:
        UsageError: the run is not there, is damaged, or has not played in a cluster.

    """
    try:
        with closing(Store.open(folder)) as store:
            found = node_table(store)
            if found is not None and (found.rows or is_locked(folder)):  # a start may have failed before the first node
                return found, untested_nodes(store, found)
    except NoRunError:
        if not is_locked(folder):
            raise
        known = read_nodes(folder)
        if known is not None:
            notes = () if known.nodes else (f"no node of {known.cluster} has joined yet; they are starting",)
            return RunNodes(known, tuple(NodeRow(node, None, None) for node in known.nodes)), notes
    raise UsageError(f"{folder}: the run has not played in a cluster; `tournament run --cluster` does")


def _lines(found: RunNodes, untested: Sequence[str]) -> list[str]:
    rows = [HEADER, *map(shown_cells, found.rows)]
    widths = [max(len(row[place]) for row in rows) for place in range(len(HEADER))]
    lines = ["  ".join(itertools.starmap(_aligned, enumerate(zip(row, widths, strict=True)))) for row in rows]
    notes = [note for row in found.rows for note in row.notes()]
    return [line.rstrip() for line in (*lines, *notes, *untested)]


def _aligned(place: int, cell: tuple[str, int]) -> str:
    """Return the text of a cell in its width: the first columns are words, the others numbers."""
    text, width = cell
    return text.ljust(width) if place < WORDS else text.rjust(width)
