"""The command `engine players`."""

from __future__ import annotations

import click

from fiedler.engine.commands.output import json_option, show
from fiedler.engine.roster.choice import AnyGameType
from fiedler.games import AnyGame


@click.command()
@click.option("--game", type=AnyGameType(), help="The players of this game; by default those of our games.")
@click.option("--player", "name", metavar="P", help="This player alone, also python:MODULE.CLASS.")
@json_option
def players(game: AnyGame | None, name: str | None, *, as_json: bool) -> None:
    """List the players and their options."""
    from fiedler.engine.commands.listing import listed_players, player_kinds, player_table

    kinds = player_kinds(game, name)
    show({"players": listed_players(kinds)}, player_table(kinds), as_json=as_json)
