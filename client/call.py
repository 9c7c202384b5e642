"""The call of an engine or a player behind a port: the connection, TLS, and the first line with a token."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Generic, TypeVar, cast

from fiedler.client.errors import EngineError, EngineGoneError, EngineRefusedError, EngineRulesError
from fiedler.protocol import RemoteProtocolError
from fiedler.protocol.admission import AdmissionClient, AdmissionError, Credentials, NoAnswerError, admission_failure
from fiedler.support.address import Address, reason
from fiedler.support.errors import printable
from fiedler.support.transport import abort

Made = TypeVar("Made", bound=asyncio.Protocol)


@dataclass(frozen=True, slots=True)
class Access:
    """The admission to a server, and its encryption."""

    token: str | None = field(default=None, repr=False)
    """One word; None: the server admits everyone."""
    tls: ssl.SSLContext | None = None
    """None: without TLS."""


async def call(address: Address, access: Access, make: Callable[[], Made]) -> Made:
    """Connect, and ask for admission if there is a token; return the protocol for the bytes after the welcome.

    Raises:
        OSError: There is no connection.
        UnicodeError: The host cannot be the name of one.
        RemoteProtocolError: The peer does not admit us; `admission_failure` has the words.
    """
    return await _admitted(await _connected(address, access, make))


async def call_within(address: Address, access: Access, make: Callable[[], Made], seconds: float) -> Made:
    """Do the same within `seconds`, with one line for a failure.

    Raises:
        EngineGoneError: The peer cannot be reached, TLS fails, or it does not answer the token.
        EngineRefusedError: It does not admit us.
        EngineRulesError: It does not answer with an admission.
    """
    until = asyncio.get_running_loop().time() + seconds
    try:
        async with asyncio.timeout_at(until) as limit:
            reached = await _connected(address, access, make)
    except (OSError, UnicodeError) as error:
        late = f" within {seconds:g} s" if limit.expired() else f": {reason(error)}"
        raise EngineGoneError(f"cannot connect to {address}{late}") from None
    try:
        async with asyncio.timeout_at(until):
            return await _admitted(reached)
    except TimeoutError:
        raise EngineGoneError(f"{address} did not answer the token within {seconds:g} s") from None
    except RemoteProtocolError as error:
        raise _not_admitted(address, error) from None


def _not_admitted(address: Address, error: RemoteProtocolError) -> EngineError:
    kinds: dict[type[RemoteProtocolError], type[EngineError]] = {
        AdmissionError: EngineRefusedError,
        NoAnswerError: EngineGoneError,
    }
    return kinds.get(type(error), EngineRulesError)(f"{address} {printable(admission_failure(error))}")


async def _connected(address: Address, access: Access, make: Callable[[], Made]) -> Made | _Applicant[Made]:
    loop = asyncio.get_running_loop()
    if access.token is None:
        return (await loop.create_connection(make, address.host, address.port, ssl=access.tls))[1]
    applicant = _Applicant(make, Credentials(access.token))
    await loop.create_connection(lambda: applicant, address.host, address.port, ssl=access.tls)
    return applicant


async def _admitted(reached: Made | _Applicant[Made]) -> Made:
    return await reached.admitted() if isinstance(reached, _Applicant) else reached


class _Applicant(asyncio.Protocol, Generic[Made]):
    """Sends the token, takes the bytes up to the answer, and leaves the connection to the next protocol."""

    def __init__(self, make: Callable[[], Made], credentials: Credentials) -> None:
        self._make = make
        self._admission = AdmissionClient(credentials)
        self._transport: asyncio.Transport
        self._answer: asyncio.Future[Made] = asyncio.get_running_loop().create_future()
        self._answer.add_done_callback(lambda answer: answer.cancelled() or answer.exception())  # nobody may wait

    async def admitted(self) -> Made:
        """Wait for the answer, and return the next protocol; a connection without it is cut."""
        try:
            return await self._answer
        except BaseException:
            abort(self._transport)
            raise

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Send the token."""
        self._transport = cast("asyncio.Transport", transport)  # that of uvloop is not a subclass
        self._transport.write(self._admission.first_line)

    def data_received(self, data: bytes) -> None:
        """Take the answer."""
        if self._answer.done():
            return
        try:
            if self._admission.feed(data):
                self._answer.set_result(self._next())
        except RemoteProtocolError as error:
            self._answer.set_exception(error)

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - asyncio's name
        """Report the end before the answer."""
        if not self._answer.done():
            self._answer.set_exception(NoAnswerError("expected an answer, got the end of the connection"))

    def _next(self) -> Made:
        """Return the next protocol, to which the connection belongs from now on."""
        made = self._make()
        self._transport.set_protocol(made)
        made.connection_made(self._transport)
        if self._admission.rest:
            made.data_received(self._admission.rest)
        return made
