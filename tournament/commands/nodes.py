"""The command `tournament nodes`."""

from __future__ import annotations

import itertools
from contextlib import closing
from pathlib import Path

import click

from support.console import print_json
from support.errors import UsageError
from tournament.run.node_table import HEADER, WORDS, RunNodes, node_table
from tournament.run.run_file import RESULTS, find_run
from tournament.run.store import Store


@click.command()
@click.argument("run_name", metavar="RUN")
@click.option("--results", type=click.Path(path_type=Path), default=RESULTS, metavar="DIR", help="Default: results.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def nodes(run_name: str, results: Path, as_json: bool) -> None:
    """Print the nodes of a run that plays, or has played, in a cluster.

    RUN is a folder, or a name under results.
    """
    folder = find_run(run_name, results)
    with closing(Store.open(folder)) as store:
        found = node_table(store)
    if found is None:
        raise UsageError(f"{folder}: the run has not played in a cluster; `tournament run --cluster` does")
    if as_json:
        print_json(found.document)
        return
    for line in _lines(found):
        click.echo(line)


def _lines(found: RunNodes) -> list[str]:
    rows = [HEADER, *(row.cells for row in found.rows)]
    widths = [max(len(row[place]) for row in rows) for place in range(len(HEADER))]
    lines = ["  ".join(itertools.starmap(_aligned, enumerate(zip(row, widths, strict=True)))) for row in rows]
    return [line.rstrip() for line in (*lines, *(note for row in found.rows for note in row.notes()))]


def _aligned(place: int, cell: tuple[str, int]) -> str:
    """Return the text of a cell in its width: the first columns are words, the others numbers."""
    text, width = cell
    return text.ljust(width) if place < WORDS else text.rjust(width)
