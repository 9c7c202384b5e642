"""What is installed here, and two games between programs that prove it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, metadata, requires
from importlib.metadata import version as version_of

import click

from fiedler.matches import match
from fiedler.native import BUILDS, GAMES, LEVEL
from fiedler.support.console import version_option
from fiedler.support.errors import WorkError
from fiedler.support.provenance import ROOT, machine, version
from fiedler.support.text import counted, listed
from fiedler.tournament.play.server_process import engine_program

SCHEDULES = ROOT / "configs"
"""The folder of the shipped schedules: that of a checkout, or of an installed wheel."""
OF_THE_HOUSE = {"dev", "docs"}
"""The extras of those who change the code."""
SERVE = ("serve", "--game", "uttt", "--set", "seed=1", "--stdio", "--player")


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--schedules", is_flag=True, help="Print only the folder of the shipped schedules.")
@version_option
def installation(*, schedules: bool) -> None:
    """Show what is installed here, and play two games between two programs.

    Exit code 1: they could not be played.
    """
    if schedules:
        click.echo(SCHEDULES)
        return
    click.echo(f"fiedler {version()}")
    for name, text in (*facts(), ("games", two_games())):
        click.echo(f"{name:<11} {text}")


def facts() -> Iterator[tuple[str, str]]:
    """Yield the lines of what is installed: a name, and its text."""
    here = machine()
    yield "python", f"{here['python']} on {here['system']}"
    yield "processor", f"{here['cpu']}, {counted(int(here['cores']), 'core')}"
    yield "core", f"{LEVEL}, one of {listed(BUILDS)}; {counted(len(GAMES), 'game')}"
    found = extras()
    missing = [name for name, is_there in found.items() if not is_there]
    yield "extras", ", ".join(name for name, is_there in found.items() if is_there) or "none"
    yield "left out", ", ".join(missing) or "none"
    yield "schedules", str(SCHEDULES)


def extras() -> dict[str, bool]:
    """Return the extras of this package, and whether all their packages are installed, in any version."""
    needs: dict[str, list[str]] = {
        name: [] for name in metadata("fiedler").get_all("Provides-Extra", []) if name not in OF_THE_HOUSE
    }
    for line in requires("fiedler") or []:
        package, extra = re.match(r"[\w.-]+", line), re.search(r"extra == [\"'](.+?)[\"']", line)
        if package and extra and extra[1] in needs:
            needs[extra[1]].append(package[0])
    return {name: all(map(_is_installed, packages)) for name, packages in sorted(needs.items())}


def two_games() -> str:
    """Play two games of ultimate tic-tac-toe between two programs of this installation, and return their score.

    Raises:
        WorkError: A program could not be started, or has failed.
    """
    engine = (engine_program(), *SERVE)
    result = match((*engine, "hsp"), (*engine, "random"), "uttt")
    for game in result.games:
        if game.board.result is None:
            raise WorkError(f"the games between two programs: {game.reason}")
    return str(result)


def _is_installed(package: str) -> bool:
    try:
        version_of(package)
    except PackageNotFoundError:
        return False
    return True
