"""The command `tournament`: its subcommands are imported on demand."""

from __future__ import annotations

import importlib
from typing import NamedTuple

import click

from fiedler.support.console import command_line, version_option


class Place(NamedTuple):
    """The place of a subcommand, and its line of help."""

    module: str
    name: str
    help: str


COMMANDS = {
    "run": Place("fiedler.tournament.commands.run", "run", "play a schedule, or resume it"),
    "compare": Place("fiedler.tournament.commands.compare", "compare", "is the new version of an engine stronger?"),
    "status": Place("fiedler.tournament.commands.status", "show_status", "the progress of a run"),
    "nodes": Place("fiedler.tournament.commands.nodes", "nodes", "the nodes of a run in a cluster"),
    "bench": Place("fiedler.tournament.commands.steer", "bench", "give a player of a running run no more games"),
    "readmit": Place("fiedler.tournament.commands.steer", "readmit", "let a benched player play again"),
    "add": Place("fiedler.tournament.commands.steer", "add", "add players to a running run"),
    "void": Place("fiedler.tournament.commands.steer", "void", "play a finished game again"),
    "merge": Place("fiedler.tournament.commands.merge", "merge", "join the shards of a run"),
    "rank": Place("fiedler.tournament.commands.rank", "rank", "the ranking of a run, a PGN or a CSV file"),
    "design": Place("fiedler.tournament.commands.design", "design", "the meeting graph of a schedule"),
    "simulate": Place("fiedler.tournament.commands.simulate", "simulate", "the same run with players of known Elo"),
    "report": Place("fiedler.tournament.commands.report", "report", "derive the report of a run again"),
    "feed": Place("fiedler.tournament.commands.feed", "feed", "publish a run to an MQTT broker"),
    "serve": Place("fiedler.tournament.commands.serve", "serve", "show runs in a browser"),
    "export": Place(
        "fiedler.tournament.commands.report", "export", "the games of a run as PGN, SGF, CSV or JSON lines"
    ),
}


class LazyGroup(click.Group):
    """A group that imports only the command that is called."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        """Return the names, in the order of COMMANDS."""
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        """Import and return a command; None for an unknown name."""
        place = COMMANDS.get(cmd_name)
        if place is None:
            return None
        command = getattr(importlib.import_module(place.module), place.name)
        assert isinstance(command, click.Command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002
        """Write the list of commands without importing any."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, place.help) for name, place in COMMANDS.items()])


@click.group(cls=LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@version_option
def tournament() -> None:
    """Pairs from a meeting graph of maximal algebraic connectivity, games, Bayes-Elo rankings."""


def main() -> None:
    """Run the command line and leave with exit code 0, 1, 2 or 130."""
    command_line(tournament)
