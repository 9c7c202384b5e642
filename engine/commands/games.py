"""The command `engine games`."""

from __future__ import annotations

import click

from engine.commands.output import json_option, show


@click.command()
@json_option
def games(*, as_json: bool) -> None:
    """List the games."""
    from engine.commands.listing import game_table, listed_games

    show({"games": listed_games()}, game_table(), as_json=as_json)
