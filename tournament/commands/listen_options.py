"""The options of `tournament run` for players that dial in."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import click

from fiedler.support.address import parse_address
from fiedler.support.errors import UsageError
from fiedler.tournament.play.admission import Listening

FILE = click.Path(dir_okay=False, path_type=Path)


@dataclass(frozen=True)
class ListenOptions:
    """The options as they were given."""

    listen: str | None
    token_file: Path | None
    cert: Path | None
    key: Path | None

    @property
    def words(self) -> list[object]:
        """The words of the command line."""
        options = {"--listen": self.listen, "--token-file": self.token_file, "--cert": self.cert, "--key": self.key}
        return [word for option, value in options.items() if value is not None for word in (option, value)]

    def read(self) -> Listening | None:
        """Read their files; None without --listen.

        Raises:
            UsageError: an option or a file cannot be used.

        """
        if self.listen is not None:
            try:
                address = parse_address(self.listen)
            except UsageError as error:
                raise UsageError(f"--listen: {error}") from None
            return Listening.read(address, self.token_file, self.cert, self.key)
        for option in self.words[:1]:
            raise UsageError(f"{option}: only with --listen, which is missing")
        return None


def listen_options(command: Callable[..., None]) -> Callable[..., None]:
    """Add the options to a command, which gets them as `listen`."""

    @click.option("--listen", metavar="HOST:PORT", help="Listen for the players with dial_in = true.")
    @click.option(
        "--token-file",
        type=FILE,
        metavar="FILE",
        help="With --listen: lines NAME TOKEN, the tokens of these players; needed beyond loopback.",
    )
    @click.option("--cert", type=FILE, metavar="FILE", help="With --listen: encrypt by TLS; a certificate (PEM).")
    @click.option("--key", type=FILE, metavar="FILE", help="With --cert: its private key (PEM).")
    @functools.wraps(command)
    def with_listen(
        listen: str | None, token_file: Path | None, cert: Path | None, key: Path | None, **others: object
    ) -> None:
        command(listen=ListenOptions(listen, token_file, cert, key), **others)

    return with_listen
