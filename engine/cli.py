"""The command `engine`. Each subcommand is a few lines that load a module and call it."""

from __future__ import annotations

import click

from engine.commands.analyze import analyze
from engine.commands.bench import bench
from engine.commands.check import check
from engine.commands.check_game import check_game
from engine.commands.connect import connect
from engine.commands.engines import engines
from engine.commands.games import games
from engine.commands.perft import perft
from engine.commands.play import play
from engine.commands.players import players
from engine.commands.serve import serve
from support.console import command_line, version_option


@click.group(no_args_is_help=False, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@version_option
def engine() -> None:
    """Serve a player behind a port; play, analyse and time it."""


for command in (analyze, bench, check, check_game, connect, engines, games, perft, play, players, serve):
    engine.add_command(command)


def main() -> None:
    """Run the command line."""
    command_line(engine)
