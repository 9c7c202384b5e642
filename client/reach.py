"""The way to an engine: a command or an address, and the access to a server."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from pathlib import Path

from fiedler.client.call import Access
from fiedler.client.carrier import EngineCarrier, called, calling, connected, piped
from fiedler.client.command import PORT_PLACE, has_place
from fiedler.support.address import parse_address
from fiedler.support.errors import UsageError
from fiedler.support.tls import client_context
from fiedler.support.tokens import read_own_token


def access(token: str | None, token_file: str | Path | None, ca: str | Path | None, *, tls: bool) -> Access:
    """Return the access to a server.

    Raises:
        UsageError: Both tokens are given, the token is not a word, or a file is wrong.
    """
    if token_file is not None:
        if token is not None:
            raise UsageError("token: not with token_file")
        token = read_own_token(Path(token_file)).text
    if token is not None and len(token.split()) != 1:
        raise UsageError("token: expected one word")  # without the token, which is a secret
    return Access(token, client_context(None if ca is None else Path(ca)) if tls or ca is not None else None)


def way(
    engine: Sequence[str] | str,
    shown: str,
    folder: str | Path | None,
    access: Access,
    seconds: float,
    *,
    dials_in: bool,
) -> Callable[[], Awaitable[EngineCarrier]]:
    """Return the way to an engine.

    Raises:
        UsageError: It is not an address and not a command, or a token or TLS is given without a server.
    """
    is_server = isinstance(engine, str) and not dials_in
    if not is_server and access != Access():
        raise UsageError("token, tls: only with the HOST:PORT of a server")
    if isinstance(engine, str):
        try:
            address = parse_address(engine)
        except UsageError as error:
            raise UsageError(f"engine: {error}; a command is a list of words") from None
        return partial(called, address, seconds) if dials_in else partial(connected, address, access, seconds)
    command, place = [*engine], None if folder is None else Path(folder)
    if not command:
        raise UsageError("engine: expected a command or HOST:PORT, got nothing")
    if not dials_in:
        return partial(piped, command, shown, place)
    if not has_place(command, PORT_PLACE):
        raise UsageError(f"engine: expected {PORT_PLACE} in the command, since the program connects to us")
    return partial(calling, command, shown, place, seconds)
