"""The commands that change a run while it is played: `bench`, `readmit`, `add`, `void`."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from pathlib import Path

import click
import msgspec

from fiedler.support.errors import UsageError
from fiedler.tournament.run.annulment import annul, resuming
from fiedler.tournament.run.control import NoManagerError, ask
from fiedler.tournament.run.run_file import RESULTS, find_run
from fiedler.tournament.run.steering import AddRequest, AnnulRequest, AnyRequest, BenchRequest, ReadmitRequest, Steered
from fiedler.tournament.run.store import Store


def _of_run(command: Callable[..., Steered]) -> Callable[..., None]:
    """Add the run to a command, as `folder`, and print the change that it returns."""

    @click.argument("run_name", metavar="RUN")
    @click.option(
        "--results", type=click.Path(path_type=Path), default=RESULTS, metavar="DIR", help="Default: results."
    )
    @click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
    @functools.wraps(command)
    def steered(run_name: str, results: Path, as_json: bool, **others: object) -> None:
        change = command(folder=find_run(run_name, results), **others)
        click.echo(json.dumps(msgspec.to_builtins(change), ensure_ascii=False) if as_json else change.text)

    return steered


def _asked(folder: Path, request: AnyRequest, option: str, name: str) -> Steered:
    """Have the manager of a run make a change; without one the error names the command that resumes with an option."""
    try:
        return ask(folder, request)
    except NoManagerError as error:
        with Store.open(folder) as store:
            raise UsageError(f"{error}: `{resuming(store, option, name)}` resumes it and does this") from None


@click.command()
@_of_run
@click.argument("player", metavar="NAME")
@click.option("--why", default="by hand", metavar="TEXT", help="The reason, for the record.")
def bench(folder: Path, player: str, why: str) -> Steered:
    """Give a player of a running RUN no more games; its finished games count."""
    return _asked(folder, BenchRequest(player, why), "--bench", player)


@click.command()
@_of_run
@click.argument("player", metavar="NAME")
def readmit(folder: Path, player: str) -> Steered:
    """Let a benched player of a running RUN play again, also the games that were given up."""
    return _asked(folder, ReadmitRequest(player), "--readmit", player)


@click.command()
@_of_run
@click.argument("players", metavar="PLAYERS.toml", type=click.Path(path_type=Path))
def add(folder: Path, players: Path) -> Steered:
    """Add players to a running RUN: a file with their tables [[players]]; games played already count."""
    try:
        return ask(folder, AddRequest(str(players.resolve())))
    except NoManagerError as error:
        with Store.open(folder) as store:
            again = f"add the players to its schedule, then `{resuming(store)}`"
        raise UsageError(f"{error}: {again}") from None


@click.command()
@_of_run
@click.argument("game", metavar="GAME")
@click.option("--why", required=True, metavar="TEXT", help="The reason, for the record.")
def void(folder: Path, game: str, why: str) -> Steered:
    """Let a finished or disputed game of RUN, by its number or id, count no more; it is played again under the same id.

    The record of the first one stays in the run. A run that is not running plays the game when it is resumed.
    """
    try:
        return ask(folder, AnnulRequest(game, why))
    except NoManagerError:
        return annul(folder, game, why)
