"""A broker: its address, its login, and the base of our topics there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from fiedler.support.address import Address, parse_address
from fiedler.support.errors import UsageError
from fiedler.support.files import read_small
from fiedler.support.mqtt.topics import VERSION, level

if TYPE_CHECKING:
    import ssl

BASE = "fiedler"
"""The default base."""
LEVELS = re.compile(r"[^+#$/\0\s][^+#/\0\s]*(/[^+#/\0\s]+)*")
"""A valid base: levels of a topic, none of them empty."""


@dataclass(frozen=True, slots=True)
class Broker:
    """A broker, as the command line names it."""

    address: Address
    base: str = BASE
    user: str | None = None
    password_file: Path | None = None
    tls: bool = False
    ca: Path | None = None
    """The certificates to trust; None: those of the system."""
    home_assistant: bool = False
    """Whether Home Assistant discovers what is published."""

    def __str__(self) -> str:
        return str(self.address)

    def topic(self, *names: str) -> str:
        """Return the topic below the base, each name as one level."""
        return "/".join((self.base, str(VERSION), *map(level, names)))

    @property
    def arguments(self) -> Iterator[str]:
        """Yield the options that give another command the same login and base."""
        if self.base != BASE:
            yield from ("--mqtt-base", self.base)
        for option, value in (("--user", self.user), ("--password-file", self.password_file), ("--ca", self.ca)):
            if value is not None:
                yield from (option, str(value))
        if self.tls:
            yield "--tls"
        if self.home_assistant:
            yield "--homeassistant"

    @property
    def password(self) -> str | None:
        """The first line of the password file.

        Raises:
            UsageError: The file cannot be read.
        """
        if self.password_file is None:
            return None
        try:
            return read_small(self.password_file).decode().partition("\n")[0].rstrip("\r")
        except UsageError as error:
            raise UsageError(f"--password-file: {error}") from None
        except (OSError, UnicodeError) as error:
            why = error.strerror if isinstance(error, OSError) else str(error)
            raise UsageError(f"--password-file: {self.password_file}: {(why or str(error)).lower()}") from None

    def context(self) -> ssl.SSLContext | None:
        """Return the TLS settings; None without TLS.

        Raises:
            UsageError: The file of certificates cannot be used.
        """
        if not self.tls:
            return None
        from fiedler.support.tls import client_context

        try:
            return client_context(self.ca)
        except UsageError as error:
            raise UsageError(f"--ca: {error}") from None


def broker_at(
    option: str,
    text: str,
    base: str,
    user: str | None,
    password_file: Path | None,
    ca: Path | None,
    *,
    tls: bool,
    home_assistant: bool = False,
) -> Broker:
    """Return the broker at HOST:PORT, which `option` gave.

    Raises:
        UsageError: An option is wrong; the message names it.
    """
    try:
        address = parse_address(text)
    except UsageError as error:
        raise UsageError(f"{option}: {error}") from None
    if not LEVELS.fullmatch(base):
        raise UsageError(f"--mqtt-base: expected levels of a topic, without '+', '#' and blanks, got {base!r}")
    for name, given in (("mqtt-base", base), ("user", user or "")):
        if not given.isprintable():
            raise UsageError(f"--{name}: expected printable characters, got {given!r}")
    if password_file is not None and user is None:
        raise UsageError("--password-file: only with --user")
    if ca is not None and not tls:
        raise UsageError("--ca: only with --tls")
    broker = Broker(address, base, user, password_file, tls, ca, home_assistant)
    assert broker.password is None or user
    broker.context()
    return broker
