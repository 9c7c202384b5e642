"""The command `engine connect`."""

from __future__ import annotations

import click

from engine.port.reach import Reach, reach_options


@click.command()
@click.argument("address", metavar="HOST:PORT")
@reach_options
def connect(address: str, reach: Reach) -> None:
    """Connect standard input and output with an engine port, for GUIs that start programs."""
    from engine.port.bridge import bridge
    from support.address import parse_address

    where = parse_address(address)
    reach.warn_in_clear(where)
    bridge(where, token=reach.token(), tls=reach.context())
