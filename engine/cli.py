"""The command `engine`. Each subcommand is a few lines that load a module and call it."""

from __future__ import annotations

import click

from fiedler.engine.commands.analyze import analyze
from fiedler.engine.commands.bench import bench
from fiedler.engine.commands.check import check
from fiedler.engine.commands.check_game import check_game
from fiedler.engine.commands.connect import connect
from fiedler.engine.commands.engines import engines
from fiedler.engine.commands.games import games
from fiedler.engine.commands.perft import perft
from fiedler.engine.commands.play import play
from fiedler.engine.commands.players import players
from fiedler.engine.commands.serve import serve
from fiedler.support.console import command_line, version_option


@click.group(no_args_is_help=False, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@version_option
def engine() -> None:
    """Serve a player behind a port; play, analyse and time it."""


for command in (analyze, bench, check, check_game, connect, engines, games, perft, play, players, serve):
    engine.add_command(command)


def main() -> None:
    """Run the command line."""
    command_line(engine)
