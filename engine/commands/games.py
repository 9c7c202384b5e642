"""The command `engine games`."""

from __future__ import annotations

import click

from fiedler.engine.commands.output import json_option, show


@click.command()
@click.option("--openspiel", is_flag=True, help="The games of OpenSpiel that a tournament can play.")
@json_option
def games(*, openspiel: bool, as_json: bool) -> None:
    """List the games: ours, those that are installed, and those in FIEDLER_GAMES."""
    from fiedler.engine.commands.listing import (
        game_table,
        games_of_others,
        listed_games,
        openspiel_games,
        openspiel_table,
    )

    if openspiel:
        found = openspiel_games()
        show({"games": found}, openspiel_table(found), as_json=as_json)
        return
    others, wrong = games_of_others()
    show({"games": listed_games(others)}, game_table(others), as_json=as_json)
    for text in wrong:
        click.echo(f"warning: {text}", err=True)
