"""The command `engine perft`."""

from __future__ import annotations

import click

from fiedler.engine.commands.output import json_option
from fiedler.engine.roster.choice import game_option, position_of, position_option
from fiedler.games import Game
from fiedler.support.console import print_json


@click.command()
@game_option
@click.option("--depth", type=click.IntRange(1, 100), required=True, help="Plies.")
@position_option
@json_option
def perft(game: Game, depth: int, position: str, *, as_json: bool) -> None:
    """Count the move paths of 1 to DEPTH plies."""
    from fiedler.engine.commands.listing import perft_document, perft_lines

    start = position_of(game, position, over=True)
    if as_json:
        print_json(perft_document(start, depth))
        return
    for line in perft_lines(start, depth):
        click.echo(line)  # which flushes
