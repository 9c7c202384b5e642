"""The command `engine engines`."""

from __future__ import annotations

import click

from fiedler.engine.commands.output import json_option, show
from fiedler.engine.roster.choice import GameType
from fiedler.games import Game
from fiedler.support.mqtt.broker import Broker
from fiedler.support.mqtt.options import broker_options


@click.command()
@broker_options("--broker", "The MQTT broker.", required=True)
@click.option("--game", type=GameType(), help="Only engines of this game.")
@click.option(
    "--wait",
    type=click.FloatRange(0.1, 3600),
    default=2.0,
    show_default=True,
    metavar="S",
    help="Seconds to wait for the first one.",
)
@json_option
def engines(broker: Broker, game: Game | None, wait: float, *, as_json: bool) -> None:
    """List the engines that announce themselves at an MQTT broker."""
    from fiedler.engine.port.announced import announced_engines, engine_table, listed_engines

    found = announced_engines(broker, None if game is None else game.id, wait)
    show({"engines": listed_engines(found)}, engine_table(found), as_json=as_json)
