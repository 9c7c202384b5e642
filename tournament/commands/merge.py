"""The command `tournament merge`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from fiedler.support.console import print_json
from fiedler.support.stages import begin, shown
from fiedler.support.text import counted
from fiedler.tournament.run.merge import merge as merge_shards
from fiedler.tournament.run.run_file import RESULTS, find_run
from fiedler.tournament.run.status import status

PATIENCE_S = 2.0
"""Seconds after which a terminal shows the progress."""


@click.command()
@click.argument("out", type=click.Path(path_type=Path))
@click.argument("shards", nargs=-1, required=True, metavar="SHARD...")
@click.option("--results", type=click.Path(path_type=Path), default=RESULTS, metavar="DIR", help="Default: results.")
@click.option("--json", "as_json", is_flag=True, help="Print the status of the merged run as one JSON document.")
def merge(out: Path, shards: Sequence[str], results: Path, as_json: bool) -> None:
    """Join finished shards of a run, played with `tournament run --shard`, to the whole run in the new folder OUT.

    Each SHARD is a folder, or a name under results.
    """
    from fiedler.tournament.report import write_report

    folders = [find_run(shard, results) for shard in shards]
    with shown("reading the shards", after=PATIENCE_S):
        merged = merge_shards(out, folders)
        begin("making the report")
        write_report(out)
    for warning in merged.warnings:
        click.echo(f"warning: {warning}", err=True)
    if as_json:
        print_json(status(out))
        return
    click.echo((out / "ranking.txt").read_text("utf-8").rstrip())
    joined = f"{counted(len(shards), 'shard')} of {merged.planned:,} games joined"
    click.echo(f"{joined}. Everything is in {out}/: run.sqlite, games.pgn, report.html …")
