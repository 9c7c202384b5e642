"""The command `tournament nodes`."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Any

import click
import msgspec

from support.console import print_json
from support.errors import UsageError
from support.text import p_text
from tournament.cluster.status import Nodes, NodeStatus, State, read_nodes
from tournament.ratings.agreement import Agreement, agreements
from tournament.run.run_file import RESULTS, find_run
from tournament.run.store import Store

WORDS = 3
"""The columns of words, before those of numbers."""
OUTLIER = 3.0
"""Standard deviations from which the points of a player at a node are named."""


@click.command()
@click.argument("run_name", metavar="RUN")
@click.option("--results", type=click.Path(path_type=Path), default=RESULTS, metavar="DIR", help="Default: results.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def nodes(run_name: str, results: Path, as_json: bool) -> None:
    """Print the nodes of a run that plays, or has played, in a cluster.

    RUN is a folder, or a name under results.
    """
    folder = find_run(run_name, results)
    known = read_nodes(folder)
    if known is None:
        raise UsageError(f"{folder}: the run has not played in a cluster; `tournament run --cluster` does")
    with closing(Store.open(folder)) as store:
        found = agreements(store.results_by_node)
    if as_json:
        print_json(_document(known, found))
        return
    for line in _lines(known, found):
        click.echo(line)


def _document(known: Nodes, found: Mapping[str, Agreement]) -> dict[str, Any]:
    """Return the nodes, each with its games a minute and its agreement with the others."""
    rows = []
    for node in known.nodes:
        own = found.get(node.name)
        test = None if own is None or not own.degrees else msgspec.to_builtins(own)
        rows.append({**msgspec.to_builtins(node), "games_per_minute": _pace(node, known.at), "agreement": test})
    return {"v": known.v, "at": known.at, "cluster": known.cluster, "nodes": rows}


def _lines(known: Nodes, found: Mapping[str, Agreement]) -> list[str]:
    header = ("Node", "Address", "State", "Tables", "Games", "a min", "Void", "Speed", "Last word", "χ² of its results")
    rows = [header, *(_row(node, known.at, found.get(node.name)) for node in known.nodes)]
    widths = [max(len(row[place]) for row in rows) for place in range(len(header))]
    lines = ["  ".join(itertools.starmap(_aligned, enumerate(zip(row, widths, strict=True)))) for row in rows]
    for node in known.nodes:
        if node.why:
            lines.append(f"{node.name} {node.state}: {node.why}")
        lines += [f"{node.name}: player {name!r} cannot play there: {why}" for name, why in node.cannot.items()]
        lines += _outliers(node.name, found.get(node.name))
    return [line.rstrip() for line in lines]


def _aligned(place: int, cell: tuple[str, int]) -> str:
    """Return the text of a cell in its width: the first columns are words, the others numbers."""
    text, width = cell
    return text.ljust(width) if place < WORDS else text.rjust(width)


def _row(node: NodeStatus, at: str, own: Agreement | None) -> tuple[str, ...]:
    pace = _pace(node, at)
    test = "" if own is None or not own.degrees else f"{own.chi_square:.1f}, {own.degrees} df, {p_text(own.p_value)}"
    return (
        node.name,
        node.address,
        node.state,
        str(node.tables or ""),
        str(node.games),
        "" if pace is None else f"{pace:.1f}",
        str(node.void),
        f"{node.nps / 1000:.0f} kn/s" if node.nps else "",
        f"{datetime.fromisoformat(node.heard):%H:%M:%S}" if node.heard else "",
        test,
    )


def _pace(node: NodeStatus, at: str) -> float | None:
    """Return the games a minute since the node joined; None for one that does not play."""
    if node.state != State.PLAYING or not node.joined:
        return None
    minutes = (datetime.fromisoformat(at) - datetime.fromisoformat(node.joined)).total_seconds() / 60
    return round((node.games - node.games_before) / minutes, 2) if minutes > 0 else None


def _outliers(name: str, own: Agreement | None) -> list[str]:
    """Return a line for each player whose results at a node differ from those elsewhere."""
    if own is None:
        return []
    return [
        f"{name}: {player!r} scores {abs(by):.1f} standard deviations {'more' if by > 0 else 'less'} than elsewhere"
        for player, by in own.deviations.items()
        if abs(by) >= OUTLIER and not math.isnan(by)
    ]
