"""The options of `engine serve` about its announcement at a broker."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from fiedler.support.address import parse_address
from fiedler.support.errors import UsageError
from fiedler.support.mqtt.broker import BASE, broker_at

if TYPE_CHECKING:
    from fiedler.engine.port.announce import Announcement

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class AnnounceOptions:
    """Their values."""

    announce: str | None = None
    announce_name: str | None = None
    announce_address: str | None = None
    mqtt_base: str | None = None
    user: str | None = None
    password_file: Path | None = None

    def announcement(self, ca: Path | None, *, tls: bool, listens: bool, chooses: bool) -> Announcement | None:
        """Return the announcement, if one is asked for; `chooses`: whether clients choose the game.

        Raises:
            UsageError: The options do not fit each other, or paho-mqtt is not installed.
        """
        if self.announce is None:
            for name in self.__dataclass_fields__:
                if getattr(self, name) is not None:
                    raise UsageError(f"--{name.replace('_', '-')}: only with --announce, which is missing")
            return None
        if not listens:
            raise UsageError("--announce: only with a port, without --stdio and --dial")
        if chooses:
            raise UsageError("--announce: expected --game beside it")
        if self.announce_name is not None and not self.announce_name.isprintable():
            raise UsageError(f"--announce-name: expected printable characters, got {self.announce_name!r}")
        from fiedler.engine.port.announce import Announcement
        from fiedler.support.mqtt.connection import require_library

        require_library()
        broker = broker_at(
            "--announce", self.announce, self.mqtt_base or BASE, self.user, self.password_file, ca, tls=tls
        )
        try:
            address = None if self.announce_address is None else parse_address(self.announce_address)
        except UsageError as error:
            raise UsageError(f"--announce-address: {error}") from None
        return Announcement(broker, self.announce_name, address)


def announce_options(command: Callable[..., Result]) -> Callable[..., Result]:
    """Add the options; the command gets them as one `announced`."""

    @functools.wraps(command)
    def gathered(**given: object) -> Result:
        fields = {name: given.pop(name) for name in AnnounceOptions.__dataclass_fields__}
        return command(announced=AnnounceOptions(**fields), **given)  # type: ignore[arg-type]

    added: Callable[..., Result] = gathered
    path = click.Path(dir_okay=False, path_type=Path)
    for option in (
        click.option("--password-file", type=path, metavar="FILE", help="A file with that user's password."),
        click.option("--user", metavar="NAME", help="The user at the broker."),
        click.option("--mqtt-base", metavar="TOPIC", help=f"The topic above all others. Default: {BASE}."),
        click.option("--announce-address", metavar="HOST:PORT", help="The announced address, if clients need another."),
        click.option("--announce-name", metavar="N", help="The announced name. Default: that of the player."),
        click.option("--announce", metavar="HOST:PORT", help="Announce this engine at an MQTT broker."),
    ):
        added = option(added)
    return added
