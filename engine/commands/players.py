"""The command `engine players`."""

from __future__ import annotations

import click

from engine.commands.output import json_option, show


@click.command()
@json_option
def players(*, as_json: bool) -> None:
    """List the players and their options."""
    from engine.commands.listing import listed_players, player_table

    show({"players": listed_players()}, player_table(), as_json=as_json)
