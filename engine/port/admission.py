"""Admission of clients by their first bytes: a token, if the server demands one; other protocols are refused."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from fiedler.protocol import RemoteProtocolError
from fiedler.protocol.admission import TOKEN_LINE, AdmissionServer, refused, welcome
from fiedler.support.tokens import Tokens

ADMISSION_SECONDS = 10.0
"""The time of a client for its token, and of a manager for its answer."""
TOKEN = b"token "
TLS_HELLO = b"\x16\x03"
METHODS = ("GET", "HEAD", "POST", "PUT", "DELETE", "CONNECT", "OPTIONS", "TRACE", "PATCH", "PRI")
HTTP_METHODS = tuple(f"{name} ".encode() for name in METHODS)
Form = Callable[[str], bytes]
"""Makes a reason into the line of a refusal."""


@dataclass(frozen=True, slots=True)
class AdmissionResult:
    """The decision about a client: it begins its session, or is refused."""

    answer: bytes
    """The line for the client; empty: it has asked nothing."""
    rest: bytes = b""
    """The bytes for the session."""
    refused: str = ""
    """The kind of a refusal; empty: the client is admitted."""
    is_guess: bool = False
    """Whether the token is wrong: the refusal comes late."""


class ClientAdmission:
    """The admission of one client; bytes in, at most one line out."""

    def __init__(self, tokens: Tokens | None, form: Form) -> None:
        """Without `tokens` everybody is admitted, and `form` makes the refusals of other protocols."""
        self._tokens = tokens
        self._form = refused if tokens is not None else form
        self._first_line: AdmissionServer | None = None
        self.held = b""
        """The bytes so far of a client that needs no token."""

    def feed(self, data: bytes) -> AdmissionResult | None:
        """Take bytes; return the decision once it is possible."""
        if self._first_line is None:
            self.held += data
            data = self.held
            foreign = self._foreign(data)
            if foreign is not None:
                return foreign
            if any(known.startswith(data) for known in (TLS_HELLO, *HTTP_METHODS)):
                return None
            if self._tokens is None and not data.startswith(TOKEN):
                return None if TOKEN.startswith(data) else AdmissionResult(b"", data)
            self._first_line = AdmissionServer(TOKEN_LINE)
        return self._admitted(self._first_line, data)

    def _foreign(self, data: bytes) -> AdmissionResult | None:
        if data.startswith(TLS_HELLO):
            why = "expected text, got the beginning of TLS; this port is not encrypted"
            return AdmissionResult(self._form(why), refused="tls")
        if data.startswith(HTTP_METHODS):
            return AdmissionResult(self._form("expected a game protocol, got an HTTP request"), refused="http")
        return None

    def _admitted(self, admission: AdmissionServer, data: bytes) -> AdmissionResult | None:
        try:
            credentials = admission.feed(data)
        except RemoteProtocolError as error:
            return AdmissionResult(refused(str(error)), refused="token")
        if credentials is None:
            return None
        if credentials.name:
            return AdmissionResult(
                refused(f"expected {TOKEN_LINE} as the first line; no player dials in here"), refused="token"
            )
        if self._tokens is not None and not self._tokens.admit(credentials.token):
            return AdmissionResult(refused("the token is not valid"), refused="token", is_guess=True)
        return AdmissionResult(welcome(), admission.rest)
