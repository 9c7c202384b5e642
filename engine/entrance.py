"""The first bytes of a client: a token, if the server demands one, and strangers that speak no game protocol."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from protocol import RemoteProtocolError
from protocol.admission import AdmissionServer, refused, welcome
from support.tokens import Tokens

TOKEN = b"token "
TLS_HELLO = b"\x16\x03"
HTTP_REQUEST = re.compile(rb"(GET|HEAD|POST|PUT|DELETE|CONNECT|OPTIONS|TRACE|PATCH|PRI) ")
Form = Callable[[str], bytes]
"""Makes a reason into the line of a refusal."""


@dataclass(frozen=True, slots=True)
class Passage:
    """The end of the first bytes: the client begins its session, or is refused."""

    answer: bytes
    """The line for the client; empty: it has asked nothing."""
    rest: bytes = b""
    """The bytes for the session."""
    refused: str = ""
    """The kind of a refusal; empty: the client is admitted."""


class Entrance:
    """What precedes the session of one client; bytes in, at most one line out."""

    def __init__(self, tokens: Tokens | None, form: Form) -> None:
        """Without `tokens` everybody is admitted, also with a token; `form` makes the refusals of strangers then."""
        self._tokens = tokens
        self._form = refused if tokens is not None else form
        self._admission: AdmissionServer | None = None
        self.held = b""
        """The bytes so far of a client that needs no token."""

    def feed(self, data: bytes) -> Passage | None:
        """Take bytes; return the decision once it is possible."""
        if self._admission is None:
            self.held += data
            data = self.held
            stranger = self._stranger(data)
            if stranger is not None:
                return stranger
            if self._tokens is None and not data.startswith(TOKEN):
                return None if TOKEN.startswith(data) else Passage(b"", data)
            self._admission = AdmissionServer()
        return self._admitted(self._admission, data)

    def _stranger(self, data: bytes) -> Passage | None:
        if data.startswith(TLS_HELLO):
            why = "expected text, got the beginning of TLS; this port is not encrypted"
            return Passage(self._form(why), refused="tls")
        if HTTP_REQUEST.match(data):
            return Passage(self._form("expected a game protocol, got an HTTP request"), refused="http")
        return None

    def _admitted(self, admission: AdmissionServer, data: bytes) -> Passage | None:
        try:
            credentials = admission.feed(data)
        except RemoteProtocolError as error:
            return Passage(refused(str(error)), refused="token")
        if credentials is None:
            return None
        if credentials.name:
            return Passage(refused("expected token TOKEN as the first line; no player dials in here"), refused="token")
        if self._tokens is not None and not self._tokens.admit(credentials.token):
            return Passage(refused("the token is not valid"), refused="token")
        return Passage(welcome(), admission.rest)
