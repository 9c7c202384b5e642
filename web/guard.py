"""The guard of the server: it refuses requests without a token or for other hosts, and adds headers to each answer."""

from __future__ import annotations

import logging
from ipaddress import ip_address
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import cookie_parser
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from fiedler.support.errors import printable
from fiedler.support.guesses import Guesses
from fiedler.support.tokens import Tokens
from fiedler.web import connection
from fiedler.web.public import PATHS
from fiedler.web.settings import SiteSettings

OPEN = ("/login", "/healthz", "/static/style.css", "/static/board.css", "/static/icon.svg")
"""The paths that need no token."""
LONGEST = 2000
"""Characters of a path."""
FULL = "Too many requests are under way here; try again later.\n"
LOCAL_NAMES = ("localhost",)
log = logging.getLogger(__name__)
POLICY = {
    "Content-Security-Policy": "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


class Guard:
    """An ASGI application in front of another."""

    def __init__(self, app: ASGIApp, settings: SiteSettings, guesses: Guesses) -> None:
        self._app = app
        self._guesses = guesses
        self._base = settings.base
        self._tokens = settings.tokens
        self._is_public = settings.public

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass on a request that may enter, without the path in front; answer another one."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        scope["path"] = path = self._inner(scope["path"])
        refusal = self._refusal(scope, path)
        if refusal is not None and self._tokens is not None and shows_token(scope):
            await miss(self._guesses, scope)
        await (refusal or self._app)(scope, receive, _with_policy(send))

    def _inner(self, path: str) -> str:
        """Return the path without the one in front, which a proxy may have removed, and without a slash at its end."""
        if self._base and (path == self._base or path.startswith(f"{self._base}/")):
            path = path.removeprefix(self._base)
        return path.rstrip("/") or "/"

    def _refusal(self, scope: Scope, path: str) -> Response | None:
        method, headers = scope["method"], Headers(scope=scope)
        if len(path) > LONGEST:
            return PlainTextResponse("This address is too long.\n", 414)
        if self._is_public and not (method in ("GET", "HEAD") and PATHS.fullmatch(path)):
            return PlainTextResponse("There is no such page here.\n", 404)
        if self._tokens is None and not self._is_public and not _names_this_machine(headers.get("host", "")):
            return PlainTextResponse("Without a token these pages have local addresses only: --token-file\n", 403)
        if method not in ("GET", "HEAD") and not _is_own(headers):
            return PlainTextResponse("This request comes from another site.\n", 403)
        if self._tokens is not None and path in OPEN:
            return None
        if self._tokens is None or is_admitted(scope, self._tokens):
            return None if connection.admit(scope) else PlainTextResponse(FULL, 503, {"Connection": "close"})
        if path.startswith("/api/") or method != "GET":
            return PlainTextResponse("A token is needed: log in, or send Authorization: Bearer TOKEN\n", 401)
        return RedirectResponse(f"{self._base}/login", 303)


def is_admitted(scope: Scope, tokens: Tokens) -> bool:
    """Return whether a request has a token, or the cookie of one."""
    headers = Headers(scope=scope)
    word, _, token = headers.get("authorization", "").partition(" ")
    if word.lower() == "bearer" and tokens.admit(token.strip()):
        return True
    cookies = cookie_parser(headers.get("cookie", ""))  # those of other programs may have any form
    found = cookies.get(cookie_name(scope), "")
    try:
        return tokens.admit(bytes.fromhex(found).decode())
    except ValueError:
        return False


def shows_token(scope: Scope) -> bool:
    """Return whether a request has a token, right or wrong."""
    headers = Headers(scope=scope)
    return "authorization" in headers or cookie_name(scope) in cookie_parser(headers.get("cookie", ""))


async def miss(guesses: Guesses, scope: Scope) -> None:
    """Wait after a wrong token, longer after each one of the same address; the log counts them now and then."""
    peer = scope["client"][0] if scope["client"] is not None else ""
    delay, number = guesses.miss(peer), guesses.to_report()
    if number:
        log.warning("wrong tokens: %d, the last one from %s", number, printable(peer))
    await connection.hold_up(scope, delay)


def cookie_name(scope: Scope) -> str:
    """Return the name of the cookie: browsers share cookies between all ports of a host."""
    _, port = scope["server"]
    return f"fiedler-{port}"


def cookie_of(token: str) -> str:
    """Return the value of the cookie for a token, which may have any characters."""
    return token.encode().hex()


def _names_this_machine(host: str) -> bool:
    """Return whether a browser has reached us by a local name; a foreign one may be a trick of another site."""
    try:
        name = urlsplit(f"//{host}").hostname or ""
        return name in LOCAL_NAMES or ip_address(name).is_loopback
    except ValueError:
        return False


def _is_own(headers: Headers) -> bool:
    """Return whether a request that changes something comes from our own pages, or from a program."""
    site = headers.get("sec-fetch-site")
    if site is not None:
        return site in ("same-origin", "none")
    origin = headers.get("origin")
    try:
        return origin is None or urlsplit(origin).netloc == headers.get("host")
    except ValueError:
        return False


def _with_policy(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in POLICY.items():
                headers.setdefault(name, value)
        await send(message)

    return sending
