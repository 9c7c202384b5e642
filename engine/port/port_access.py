"""The access to a port on another machine: a token and TLS, and their options."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

if TYPE_CHECKING:
    import ssl

    from fiedler.client.call import Access
    from fiedler.support.address import Address
    from fiedler.support.tokens import Token

Result = TypeVar("Result")
FILE = click.Path(path_type=Path)
"""The type of an option that names a file."""


@dataclass(frozen=True, slots=True)
class PortAccess:
    """The values of --token-file, --tls and --ca."""

    token_file: Path | None = None
    tls: bool = False
    ca: Path | None = None

    def token(self, name: str = "") -> Token | None:
        """Return the token to send, that of a player with `name`; None: no token.

        Raises:
            UsageError: The file is wrong.
        """
        from fiedler.support.tokens import read_own_token

        return None if self.token_file is None else read_own_token(self.token_file, name)

    def loaded(self) -> Access:
        """Return the access for a call.

        Raises:
            UsageError: A file is wrong.
        """
        from fiedler.client.call import Access

        token = self.token()
        return Access(None if token is None else token.text, self.context())

    def warn_in_clear(self, address: Address) -> None:
        """Warn if the token goes to another machine in the clear."""
        from fiedler.support.tokens import warn_in_clear

        if self.token_file is not None and not self.tls and self.ca is None:
            warn_in_clear(address)

    def context(self) -> ssl.SSLContext | None:
        """Return the context of TLS; None: in the clear.

        Raises:
            UsageError: The file of authorities is wrong.
        """
        from fiedler.support.tls import client_context

        return client_context(self.ca) if self.tls or self.ca is not None else None


def tls_options(command: Callable[..., Result]) -> Callable[..., Result]:
    """Add --tls and --ca."""
    ca = "The authorities to trust (PEM), with TLS; by default those of the system."
    added = click.option("--ca", type=FILE, metavar="F", help=ca)(command)
    return click.option("--tls", is_flag=True, help="Encrypt the connection, and check the certificate.")(added)


def access_options(command: Callable[..., Result]) -> Callable[..., Result]:
    """Add --token-file, --tls and --ca; the command gets them as one `access`."""

    @functools.wraps(command)
    def gathered(token_file: Path | None, ca: Path | None, *, tls: bool, **others: object) -> Result:
        return command(access=PortAccess(token_file, tls, ca), **others)

    about = "The file of the token to send."
    return click.option("--token-file", type=FILE, metavar="F", help=about)(tls_options(gathered))
