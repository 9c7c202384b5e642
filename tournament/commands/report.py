"""The commands `tournament report` and `tournament export`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import click

from fiedler.tournament.report.pgn import pgn
from fiedler.tournament.report.run import Run
from fiedler.tournament.report.sgf import sgf
from fiedler.tournament.report.tables import as_csv, as_jsonl
from fiedler.tournament.run.run_file import find_run

FORMATS: dict[str, Callable[[Run], Iterator[str]]] = {"pgn": pgn, "sgf": sgf, "csv": as_csv, "jsonl": as_jsonl}

RESULTS = click.Path(path_type=Path)


@click.command()
@click.argument("run_name", metavar="RUN")
@click.option("--results", type=RESULTS, default=Path("results"), metavar="DIR", help="Default: results.")
@click.option(
    "--graphml",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="FILE",
    help="Write the meeting graph too, for networkx, Gephi, igraph …",
)
def report(run_name: str, results: Path, graphml: Path | None) -> None:
    """Write ranking, figures, games.pgn and report.html of a run again. RUN is a folder, or a name under results."""
    from fiedler.tournament.report.writing import write_graph, write_report  # slow to import

    folder = find_run(run_name, results)
    write_report(folder)
    if graphml is not None:
        write_graph(folder, graphml)
    click.echo((folder / "ranking.txt").read_text("utf-8").rstrip())
    click.echo(f"everything else is in {folder}/: report.html, games.pgn …")


@click.command()
@click.argument("run_name", metavar="RUN")
@click.option("--format", "kind", type=click.Choice(list(FORMATS)), required=True, help="What to write.")
@click.option("--results", type=RESULTS, default=Path("results"), metavar="DIR", help="Default: results.")
def export(run_name: str, kind: str, results: Path) -> None:
    """Write the finished games of a run to standard output. RUN is a folder, or a name under results."""
    run = Run.read(find_run(run_name, results))
    for text in FORMATS[kind](run):
        click.echo(text.encode(), nl=False)  # bytes: UTF-8 for any encoding of the terminal
