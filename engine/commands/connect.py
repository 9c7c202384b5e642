"""The command `engine connect`."""

from __future__ import annotations

import click

from fiedler.engine.port.port_access import PortAccess, access_options


@click.command()
@click.argument("address", metavar="HOST:PORT")
@access_options
def connect(address: str, access: PortAccess) -> None:
    """Connect standard input and output with an engine port, for GUIs that start programs."""
    from fiedler.engine.port.bridge import bridge
    from fiedler.support.address import parse_address

    where = parse_address(address)
    access.warn_in_clear(where)
    bridge(where, access.loaded())
