"""The command `tournament compare`: is the new version of an engine stronger? A sequential test of two players."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import click
from click.core import ParameterSource

from fiedler.support.console import print_json
from fiedler.support.errors import UsageError, WorkError
from fiedler.support.files import write_whole
from fiedler.support.interrupt import INTERRUPTED
from fiedler.tournament.commands.compare_options import comparison_options
from fiedler.tournament.commands.compare_progress import progress
from fiedler.tournament.comparison.comparison import OUT, Comparison, about_options
from fiedler.tournament.comparison.markdown import document, markdown
from fiedler.tournament.comparison.programs import keep_programs, refuse_other_programs
from fiedler.tournament.comparison.verdict import verdict_of
from fiedler.tournament.run import manager
from fiedler.tournament.run.events import Began, Event
from fiedler.tournament.run.interruption import signals_raise
from fiedler.tournament.run.manager import InterruptedRunError
from fiedler.tournament.run.merge import merge
from fiedler.tournament.run.run_file import find_run
from fiedler.tournament.run.store import Store
from fiedler.tournament.schedule.schedule import Schedule

FILE = click.Path(dir_okay=False, allow_dash=True, path_type=Path)
OF_A_VERDICT = {"verdict", "folders", "json_file", "markdown_file"}
"""The parameters that go with --verdict."""


@click.command()
@click.argument("folders", nargs=-1, metavar="[--verdict FOLDER...]")
@comparison_options
@click.option("--out", type=click.Path(path_type=Path), metavar="DIR", help=f"The games. Default: {OUT}.")
@click.option("--fresh", is_flag=True, help="Start anew; earlier games are kept in DIR.old-1, DIR.old-2 …")
@click.option("--verdict", is_flag=True, help="Play nothing: the verdict of a run, or of all shards of one.")
@click.option("--json", "json_file", type=FILE, metavar="FILE", help="Write the verdict as JSON; - prints it.")
@click.option("--markdown", "markdown_file", type=FILE, metavar="FILE", help="Write it as Markdown; - prints it.")
@click.option("--quiet", is_flag=True, help="No progress.")
@click.pass_context
def compare(
    ctx: click.Context,
    folders: Sequence[str],
    make: Callable[[], Comparison],
    out: Path | None,
    fresh: bool,
    verdict: bool,
    json_file: Path | None,
    markdown_file: Path | None,
    quiet: bool,
) -> None:
    """Test whether a candidate is stronger than its base: a sequential test (SPRT) over pairs of games.

    The exit code is 0 if the candidate has passed (H1), 1 if it has failed (H0), 3 if the games did not decide, 2 after
    any error. The same command resumes an interrupted test.
    """
    with _errors_are_no_verdict():
        if verdict:
            _refuse_beside_verdict(ctx)
            with _one_run(folders) as folder:
                ctx.exit(_report(folder, folder if len(folders) == 1 else None, json_file, markdown_file))
        if folders:
            raise UsageError(f"expected options, got {folders[0]!r}: folders go with --verdict, which is missing")
        folder = _play(make(), out or OUT, fresh=fresh, quiet=quiet)
        ctx.exit(_report(folder, out, json_file, markdown_file))


@contextmanager
def _errors_are_no_verdict() -> Iterator[None]:
    """Turn a failure of the machine, which ends other commands with exit code 1, into 2: here 1 is a verdict."""
    try:
        yield
    except WorkError as error:
        raise UsageError(str(error)) from error


def _refuse_beside_verdict(ctx: click.Context) -> None:
    for parameter in ctx.command.params:
        name = parameter.name or ""
        if name not in OF_A_VERDICT and ctx.get_parameter_source(name) is not ParameterSource.DEFAULT:
            raise UsageError(f"{parameter.opts[0]}: not with --verdict, which plays nothing")


@contextmanager
def _one_run(folders: Sequence[str]) -> Iterator[Path]:
    """Give the folder of the run whose verdict is asked for: shards are merged in a temporary one."""
    if not folders:
        raise UsageError("--verdict: expected the folder of a run, or those of all its shards, got none")
    found = [find_run(folder) for folder in folders]
    with Store.open(found[0]) as store:
        is_whole = store.schedule.shard is None
    if is_whole and len(found) == 1:
        yield found[0]
        return
    with tempfile.TemporaryDirectory() as place:
        merged = merge(Path(place, OUT.name), found)
        if merged.missing:
            missing = ", ".join(merged.missing)
            raise UsageError(f"--verdict: expected all shards of the run, these are missing: {missing}")
        yield Path(place, OUT.name)


def _play(test: Comparison, out: Path, *, fresh: bool, quiet: bool) -> Path:
    """Play the games, or the rest of them, and derive the report; return the folder."""
    from fiedler.tournament.report import write_report

    with tempfile.TemporaryDirectory() as place:
        file = Path(place, "compare.toml")
        schedule = test.schedule(out.name, file, Path.cwd())
        folder = out.parent / schedule.tournament.name
        if not fresh:
            refuse_other_programs(schedule, folder)
        with about_options(), signals_raise(), progress(schedule, folder, fresh=fresh, quiet=quiet) as shown:
            try:
                manager.run(
                    file,
                    results=out.parent,
                    fresh=fresh,
                    subscribers=[partial(_keep_programs, schedule, folder), *shown],
                    read=lambda _: schedule,
                )
            except InterruptedRunError:
                click.echo("interrupted; finished games are kept, and the same command resumes the test", err=True)
                raise click.exceptions.Exit(INTERRUPTED) from None
    write_report(folder)
    return folder


def _keep_programs(schedule: Schedule, folder: Path, event: Event) -> None:
    """Write the contents of the programs before the first game."""
    if isinstance(event, Began):
        keep_programs(schedule, folder)


def _report(folder: Path, out: Path | None, json_file: Path | None, markdown_file: Path | None) -> int:
    """Print and write the verdict of a run, and return its exit code; a shard alone has none.

    `out` is the folder of the games in the command that repeats it.
    """
    with Store.open(folder) as store:
        schedule = store.schedule
        if schedule.shard is not None:
            click.echo(f"shard {schedule.shard} is played; the verdict of all: tournament compare --verdict FOLDER…")
            click.echo(folder)
            return 0
        found = verdict_of(store)
    prints = Path("-")
    if prints not in (json_file, markdown_file):
        click.echo(found.line)
    if json_file == prints:
        print_json(document(found, schedule, out), indent=2)
    elif json_file is not None:
        write_whole(json_file, json.dumps(document(found, schedule, out), ensure_ascii=False, indent=2) + "\n")
    if markdown_file == prints:
        click.echo(markdown(found, schedule, out), nl=False)
    elif markdown_file is not None:
        write_whole(markdown_file, markdown(found, schedule, out))
    return found.exit_code
