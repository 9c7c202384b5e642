"""The commands `tournament run` and `tournament status`."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from typing import Any

import click

from games import UsageError
from games.console import INTERRUPTED
from tournament import manager
from tournament.events import Subscriber
from tournament.manager import Draft, InterruptedRunError
from tournament.pairing import meeting_graph
from tournament.schedule import MAX_CONCURRENCY, Schedule
from tournament.store import GameRecord, Store, find_run, status
from tournament.validation import load

RESULTS = Path("results")


@click.command()
@click.argument("schedule", metavar="SCHEDULE.toml", type=click.Path(path_type=Path))
@click.option("--fresh", is_flag=True, help="Start anew; an earlier run is kept as NAME.old-1, NAME.old-2 …")
@click.option("--concurrency", type=click.IntRange(1, MAX_CONCURRENCY), metavar="N", help="Games at the same time.")
@click.option("--results", type=click.Path(path_type=Path), default=RESULTS, metavar="DIR", help="Default: results.")
@click.option("--dry-run", is_flag=True, help="Say what would be played, play nothing.")
@click.option("--quiet", is_flag=True, help="No progress; the ranking at the end is printed.")
@click.option("--json", "as_json", is_flag=True, help="No progress; print the final status as one JSON document.")
def run(
    schedule: Path, fresh: bool, concurrency: int | None, results: Path, dry_run: bool, quiet: bool, as_json: bool
) -> None:
    """Play a schedule, or go on with it where it was interrupted."""
    if dry_run:
        _describe(load(schedule), as_json=as_json)
        return
    with ExitStack() as stack:
        subscribers = [] if quiet or as_json else [_display(stack, schedule, results, fresh=fresh)]
        try:
            folder = manager.run(
                schedule, results=results, fresh=fresh, concurrency=concurrency, subscribers=subscribers
            )
        except InterruptedRunError:
            stack.close()
            with suppress(UsageError):  # the schedule may have been changed meanwhile
                _say_how_to_go_on(schedule, results)
            raise click.exceptions.Exit(INTERRUPTED) from None
    _report(folder, quiet=quiet, as_json=as_json)


@click.command(name="status")
@click.argument("run_name", metavar="RUN")
@click.option("--results", type=click.Path(path_type=Path), default=RESULTS, metavar="DIR", help="Default: results.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
def show_status(run_name: str, results: Path, as_json: bool) -> None:
    """Say how far a run is, and which players failed how often. RUN is a folder, or a name under results."""
    document = status(find_run(run_name, results))
    if as_json:
        click.echo(json.dumps(document, ensure_ascii=False))
        return
    click.echo("{name} ({game}): {state}, {finished} of {scheduled} games finished, {void} void".format(**document))
    if document["repeated"]:
        click.echo(f"{document['repeated']} games repeat an earlier one of the same players move for move")
    for player in document["players"]:
        failures = _failures(player)
        click.echo(f"  {player['name']}: {player['games']} games{', failures: ' + failures if failures else ''}")


def _display(stack: ExitStack, path: Path, results: Path, *, fresh: bool) -> Subscriber:
    from rich.console import Console

    from tournament.progress import Lines, LiveTable

    console = Console()
    if not console.is_terminal:
        return Lines()
    earlier = [] if fresh else _finished(results / load(path).tournament.name)
    return stack.enter_context(LiveTable(console, earlier))


def _finished(folder: Path) -> Sequence[GameRecord]:
    """Return the finished games of a run; none where there is no run yet."""
    try:
        with closing(Store.open(folder)) as store:
            return store.games()
    except UsageError:
        return ()


def _describe(schedule: Schedule, *, as_json: bool) -> None:
    drafted = manager.draft(schedule)
    design = meeting_graph(schedule) if schedule.pairing.method == "meeting-graph" else None
    document = {
        "name": schedule.tournament.name,
        "game": schedule.tournament.game,
        "players": schedule.names,
        "pairs": drafted.pairs,
        "games": len(drafted.games),
        "openings": len(drafted.openings),
        "rms": None if design is None else design.rms,
        "lambda2": None if design is None else design.lambda2,
    }
    if as_json:
        click.echo(json.dumps(document, ensure_ascii=False))
    else:
        _print_draft(schedule, drafted, document["rms"])


def _print_draft(schedule: Schedule, drafted: Draft, rms: object) -> None:
    click.echo(f"{schedule.tournament.name} ({schedule.tournament.game}): {len(schedule.players)} players")
    for a, b in drafted.pairs:
        click.echo(f"  {a} - {b}")
    per_pair = schedule.tournament.games_per_pair
    click.echo(f"{len(drafted.pairs)} pairs, {per_pair} games each: {len(drafted.games)} games")
    click.echo(f"{len(drafted.openings)} openings")
    if isinstance(rms, float):
        click.echo(f"predicted RMS error of the ratings: {rms:.1f} Elo")
    for warning in drafted.warnings:
        click.echo(f"warning: {warning}", err=True)


def _say_how_to_go_on(path: Path, results: Path) -> None:
    finished = _finished(results / load(path).tournament.name)
    where = "" if results == RESULTS else f" --results {shlex.quote(str(results))}"
    click.echo(f"interrupted; {len(finished)} finished games are kept", err=True)
    click.echo(f"go on with: tournament run {shlex.quote(str(path))}{where}", err=True)


def _report(folder: Path, *, quiet: bool, as_json: bool) -> None:
    """Derive the report, then print the ranking, or the status."""
    from tournament.report import write_report

    write_report(folder)
    document = status(folder)
    if as_json:
        click.echo(json.dumps(document, ensure_ascii=False))
        return
    click.echo((folder / "ranking.txt").read_text("utf-8").rstrip())
    for player in document["players"]:
        if failures := _failures(player):
            click.echo(f"warning: {player['name']} failed: {failures}", err=True)
    if not quiet:
        click.echo(f"Everything is in {folder}/: run.sqlite, games.pgn, report.html …")


def _failures(player: dict[str, Any]) -> str:
    """Return the failures of a player in the status document as `2 time, 1 crash`; empty if there are none."""
    return ", ".join(f"{count} {kind}" for kind, count in player["failures"].items() if count)
