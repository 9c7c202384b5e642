"""The command `tournament run`."""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import click

from fiedler.support.console import print_json
from fiedler.support.errors import UsageError
from fiedler.support.interrupt import INTERRUPTED
from fiedler.support.mqtt.broker import Broker
from fiedler.support.mqtt.options import broker_options
from fiedler.support.text import counted
from fiedler.tournament.commands.dry_run import describe
from fiedler.tournament.commands.listen_options import ListenOptions, listen_options
from fiedler.tournament.commands.next_steps import suggest, tournament
from fiedler.tournament.commands.place_options import PlaceOptions, place_options
from fiedler.tournament.commands.serve_options import DEFAULT
from fiedler.tournament.commands.status import failures_text
from fiedler.tournament.game import GameRecord, now
from fiedler.tournament.run import draft, manager
from fiedler.tournament.run.events import Subscriber, Warned
from fiedler.tournament.run.interruption import signals_raise
from fiedler.tournament.run.known_options import unavailable
from fiedler.tournament.run.manager import InterruptedRunError
from fiedler.tournament.run.run_file import RESULTS
from fiedler.tournament.run.status import missed, status
from fiedler.tournament.run.store import Store
from fiedler.tournament.schedule.schedule import Schedule
from fiedler.tournament.schedule.sharding import sharded
from fiedler.tournament.schedule.validation import load

if TYPE_CHECKING:
    from fiedler.tournament.commands.serve_process import PagesProcess


@click.command()
@click.argument("schedule", metavar="SCHEDULE.toml", type=click.Path(path_type=Path))
@click.option("--fresh", is_flag=True, help="Start anew; an earlier run is kept as NAME.old-1, NAME.old-2 …")
@place_options
@click.option("--results", type=click.Path(path_type=Path), default=RESULTS, metavar="DIR", help="Default: results.")
@click.option("--shard", metavar="I/N", help="Play one of N shards of a fixed plan; `tournament merge` joins them.")
@click.option("--bench", multiple=True, metavar="NAME", help="Resume without a player; its games count; repeat.")
@click.option("--readmit", multiple=True, metavar="NAME", help="Let a benched player play again; repeat.")
@click.option(
    "--on-interrupt",
    type=click.Choice(["void", "finish"]),
    default="void",
    help="Running games become void (default), or end first; a second interrupt makes them void.",
)
@listen_options
@click.option("--dry-run", is_flag=True, help="Print the planned games, play nothing.")
@click.option(
    "--progress",
    type=click.Choice(["all", "some", "none"]),
    help="Print a line for each game and the ranking at times (all), the ranking and unusual events (some), or "
    "nothing (none) before the end. Default: a live table on a terminal, all elsewhere.",
)
@click.option("--quiet", is_flag=True, help="No progress; the ranking at the end is printed.")
@click.option("--json", "as_json", is_flag=True, help="No progress; print the final status as one JSON document.")
@click.option(
    "--serve",
    "pages",
    is_flag=False,
    flag_value=DEFAULT,
    metavar="[HOST:PORT]",
    help=f"Show the run in a browser, by a process of its own. Default: {DEFAULT}.",
)
@click.option("--stay", is_flag=True, help="With --serve: the pages stay after the last game, until a signal.")
@broker_options("--mqtt", "Publish the run to this MQTT broker, by a process of its own.", publishes_run=True)
def run(
    schedule: Path,
    fresh: bool,
    place: PlaceOptions,
    results: Path,
    shard: str | None,
    bench: Sequence[str],
    readmit: Sequence[str],
    on_interrupt: str,
    listen: ListenOptions,
    dry_run: bool,
    progress: str | None,
    quiet: bool,
    as_json: bool,
    pages: str | None,
    stay: bool,
    broker: Broker | None,
) -> None:
    """Play a schedule, or resume it where it was interrupted."""
    progress = _progress_shown(progress, quiet=quiet, as_json=as_json)
    if stay and pages is None:
        raise UsageError("--stay: only with --serve, which is missing")
    read = _shard_reader(_reader(results, broker, fresh=fresh), shard)
    if dry_run:
        _refuse_with_dry_run(bench=bench, readmit=readmit, serve=pages or ())
        describe(read(schedule), results, place.concurrency, place.processes, fresh=fresh, as_json=as_json)
        return
    command = _ResumingCommand(schedule, results, shard, place, listen, pages, stay, broker)
    with signals_raise(), _Pages(pages, results, stay=stay, quiet=quiet or as_json) as shown:
        shown.open(read, schedule)
        with _hint_to_resume(command, read), ExitStack() as stack:
            is_over = partial(_is_over, read(schedule), results, anew=fresh or bool(readmit))
            abroad = place.abroad(read(schedule), _warn, is_over, quiet=progress == "none")
            display = _display(stack, read(schedule), results, fresh=fresh, progress=progress)
            folder = manager.run(
                schedule,
                results=results,
                fresh=fresh,
                concurrency=place.concurrency,
                processes=place.processes,
                subscribers=[*display, *_feeds(stack, read(schedule), results, broker, display, shown.url)],
                bench=bench,
                readmit=readmit,
                finish=on_interrupt == "finish",
                log=place.log,
                listening=listen.read(),
                read=read,
                abroad=abroad,
            )
        _report(folder, command, quiet=quiet, as_json=as_json)
        shown.stay()


class _Pages:
    """The pages of the run, if they are asked for. On a terminal, or with `stay`, they stay after its end."""

    def __init__(self, at: str | None, results: Path, *, stay: bool, quiet: bool) -> None:
        self._at, self._results, self._stay, self._quiet = at, results, stay, quiet
        self._stack = ExitStack()
        self._process: PagesProcess | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def open(self, read: Callable[[Path], Schedule], schedule: Path) -> None:
        """Start them, and print the address of the run."""
        if self._at is None:
            return
        from fiedler.tournament.commands.serve_process import PagesProcess, pages_at

        options = pages_at(self._at, self._results)
        found = read(schedule)
        process = PagesProcess(options, found.tournament.name, _warn, found.rules)
        self._process = self._stack.enter_context(process)
        if self._process.url:
            click.echo(f"Watch it at {self._process.url}", err=self._quiet)

    @property
    def url(self) -> str:
        """The address of the run's page; empty if there is none."""
        return "" if self._process is None else self._process.url

    def stay(self) -> None:
        """Wait for Ctrl-C, or another signal, unless the pages end with the run."""
        if self._process is None or not self._process.url:
            return
        if not (self._stay or (sys.stdout.isatty() and not self._quiet)):
            return
        with suppress(KeyboardInterrupt):
            end = "Ctrl-C" if sys.stdout.isatty() else f"a signal: kill {os.getpid()}"
            click.echo(f"The pages stay at {self._process.url} until {end}.", err=self._quiet)
            self._process.wait()


def _warn(text: str) -> None:
    click.echo(f"warning: {text}", err=True)


def _is_over(schedule: Schedule, results: Path, *, anew: bool) -> bool:
    """Return whether a run has no games left; one that begins anew, or with a player readmitted, has some."""
    return not anew and draft.is_over(schedule, results)


@dataclass(frozen=True)
class _ResumingCommand:
    """The command that resumes an interrupted run: the same one, without the options that act once."""

    schedule: Path
    results: Path
    shard: str | None
    place: PlaceOptions
    listen: ListenOptions
    pages: str | None
    stay: bool
    broker: Broker | None

    def __str__(self) -> str:
        return shlex.join(map(str, ("tournament", *self.words)))

    @property
    def words(self) -> list[object]:
        """The words after the name of the program."""
        words: list[object] = ["run", self.schedule]
        words += ["--results", self.results] if self.results != RESULTS else []
        words += ["--shard", self.shard] if self.shard is not None else []
        words += self.place.words
        words += self.listen.words
        words += ["--serve", self.pages] if self.pages is not None else []
        words += ["--stay"] if self.stay else []
        words += ["--mqtt", self.broker, *self.broker.arguments] if self.broker is not None else []
        return words


@contextmanager
def _hint_to_resume(command: _ResumingCommand, read: Callable[[Path], Schedule]) -> Iterator[None]:
    """Print how to resume an interrupted run, and end with exit code 130."""
    try:
        yield
    except InterruptedRunError:
        with suppress(UsageError, OSError):  # the schedule may have changed, the terminal may be closed
            finished = len(_finished(command.results / read(command.schedule).tournament.name))
            click.echo(f"interrupted; {counted(finished, 'finished game')} kept", err=True)
            click.echo(f"resume with: {command}", err=True)
        raise click.exceptions.Exit(INTERRUPTED) from None


def _display(
    stack: ExitStack, schedule: Schedule, results: Path, *, fresh: bool, progress: str | None
) -> list[Subscriber]:
    """Return the live table on a terminal, lines elsewhere or if `progress` asks for them, or nothing."""
    if progress == "none":
        return []
    from rich.console import Console

    from fiedler.tournament.commands.progress import Lines, LiveTable

    console = Console()
    on_terminal = console.is_terminal and progress is None
    folder = results / schedule.tournament.name
    earlier = [] if fresh else _finished(folder)
    if on_terminal:
        return [stack.enter_context(LiveTable(console, schedule, earlier, run=folder))]
    return [Lines(schedule, earlier, each_game=progress != "some", run=folder)]


def _progress_shown(progress: str | None, *, quiet: bool, as_json: bool) -> str | None:
    """Return the kind of progress; None: the default."""
    if not quiet and not as_json:
        return progress
    if progress is not None:
        raise UsageError(f"--progress: not with {'--quiet' if quiet else '--json'}, which shows no progress")
    return "none"


def _refuse_with_dry_run(**given: Sequence[str]) -> None:
    for option in [name for name, names in given.items() if names]:
        raise UsageError(f"--{option}: not with --dry-run, which changes nothing")


def _reader(results: Path, broker: Broker | None, *, fresh: bool) -> Callable[[Path], Schedule]:
    """Return what loads the schedule; only with a broker it may ask for engines there."""
    if broker is None:
        return partial(load, beside=unavailable)
    from fiedler.support.mqtt.connection import require_library
    from fiedler.tournament.feeds.discovery import reader

    require_library()
    return reader(broker, results, fresh=fresh)


def _shard_reader(read: Callable[[Path], Schedule], shard: str | None) -> Callable[[Path], Schedule]:
    """Return what loads the schedule, as that of a shard if one is asked for."""
    return read if shard is None else lambda path: sharded(read(path), shard)


def _feeds(
    stack: ExitStack, schedule: Schedule, results: Path, broker: Broker | None, display: Sequence[Subscriber], url: str
) -> Iterator[Subscriber]:
    """Yield what starts the feed of the run, and what sends its notices, if any.

    Their warnings appear in the display, or on standard error.
    """

    def warn(text: str) -> None:
        for show in display:
            show(Warned(at=now(), text=text))
        if not display:
            _warn(text)

    if broker is not None:
        from fiedler.tournament.feeds.process import FeedProcess

        yield stack.enter_context(FeedProcess(results, broker, warn, url))
    if schedule.notify.place:
        from fiedler.tournament.feeds.notify_process import NotifyProcess
        from fiedler.tournament.feeds.receiver import take_url

        yield stack.enter_context(NotifyProcess(schedule, take_url(schedule), warn))


def _finished(folder: Path) -> Sequence[GameRecord]:
    """Return the finished games of a run; none if there is no run yet."""
    try:
        with closing(Store.open(folder)) as store:
            return store.games()
    except UsageError:
        return ()


def _print_how_to_derive(folder: Path) -> None:
    kept = f"{counted(len(_finished(folder)), 'finished game')} kept"
    click.echo(f"interrupted while the report was made; {kept}", err=True)
    click.echo(f"derive the rest with: tournament report {shlex.quote(str(folder))}", err=True)


def _report(folder: Path, again: _ResumingCommand, *, quiet: bool, as_json: bool) -> None:
    """Derive the report and print it; a signal ends this with a hint and exit code 130."""
    try:
        _print_report(folder, quiet=quiet, as_json=as_json)
    except KeyboardInterrupt:
        with suppress(OSError):
            _print_how_to_derive(folder)
        raise click.exceptions.Exit(INTERRUPTED) from None
    if not (quiet or as_json):
        _suggest(folder, again)


def _suggest(folder: Path, again: _ResumingCommand) -> None:
    suggest(
        (
            (tournament("rank", folder, "--fit"), "how well the ratings fit, and what they cannot express"),
            (tournament("serve", folder.parent), "the run and its games in a browser"),
            (tournament(*again.words), "plays on after games_per_pair is raised"),
        )
    )


def _print_report(folder: Path, *, quiet: bool, as_json: bool) -> None:
    """Derive the report, then print the ranking, or the status."""
    from fiedler.tournament.report import write_report

    write_report(folder)
    document = status(folder)
    for warning in _missed(folder) if quiet or as_json else ():  # else the display has shown it
        click.echo(f"warning: {warning}", err=True)
    if as_json:
        print_json(document)
        return
    click.echo((folder / "ranking.txt").read_text("utf-8").rstrip())
    _warn_of_failures(folder, document)
    if not quiet:
        click.echo(f"Everything is in {folder}/: run.sqlite, games.pgn, report.html …")


def _warn_of_failures(folder: Path, document: Mapping[str, Any]) -> None:
    """Print the failures of each player, with the command that finds their cause."""
    from fiedler.tournament.play.probe import examination

    with closing(Store.open(folder)) as store:
        schedule = store.schedule
    commands = {player.name: examination(schedule, player) for player in schedule.players}
    for player in document["players"]:
        if failures := failures_text(player):
            name, command = player["name"], commands.get(player["name"])
            benched = "; it was benched" if name in document["benched"] else ""
            cause = f"; to find the cause: {command}" if command else ""
            _warn(f"{name} failed: {failures}{benched}{cause}")


def _missed(folder: Path) -> list[str]:
    with closing(Store.open(folder)) as store:
        return missed(store)
