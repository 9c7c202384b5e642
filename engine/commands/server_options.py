"""The options of `engine serve` about its port: addresses, tokens, TLS, limits."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

import click

from fiedler.engine.port.port_access import FILE, PortAccess, tls_options
from fiedler.protocol import DIALECTS
from fiedler.support.address import LOOPBACK
from fiedler.support.errors import UsageError

if TYPE_CHECKING:
    from fiedler.engine.port.bounds import Bounds
    from fiedler.engine.port.dial import Manager
    from fiedler.engine.port.server import AccessRules, Server

Result = TypeVar("Result")
LEVELS = ("debug", "info", "warning", "error")
SECONDS = click.FloatRange(0.001, 1e9)


@dataclass(frozen=True, slots=True)
class ServerOptions:
    """Their values."""

    host: str = LOOPBACK
    port: int = 0
    dial: str | None = None
    name: str | None = None
    sessions: int = 1
    token_file: Path | None = None
    cert: Path | None = None
    key: Path | None = None
    tls: bool = False
    ca: Path | None = None
    max_sessions: int | None = None
    max_per_peer: int | None = None
    max_rate: float | None = None
    max_think_s: float | None = None
    idle_s: float | None = None
    max_memory_mb: int | None = None
    metrics: str | None = None
    log_level: str | None = None
    log_json: bool = False
    report: bool = False

    def refuse(self, pinned: str | None, *, stdio: bool, announces: bool = False) -> None:
        """Raise UsageError if options do not fit each other or the dialect; `announces`: there is a broker."""
        if stdio:
            self._refuse_others("not with --stdio", "dial", "token_file", "cert", "key", "metrics", "report")
        dials_in = pinned is not None and DIALECTS[pinned].dials_in
        if dials_in and self.dial is None:
            raise UsageError(f"--protocol {pinned}: expected --dial HOST:PORT, since its players open the connection")
        if self.dial is None:
            self._refuse_others("only with --dial, which is missing", "name")
            if not announces:
                self._refuse_others("only with --dial or --announce, which are missing", "tls", "ca")
        else:
            self._refuse_others("not with --dial", "cert", "key", "report")
            if self.name is None and not dials_in:
                raise UsageError("--dial: expected --name N beside it, the name of this player in the schedule")
        if self.key is not None and self.cert is None:
            raise UsageError("--key: only with --cert, which is missing")

    def _refuse_others(self, why: str, *names: str) -> None:
        for name in names:
            if getattr(self, name):
                raise UsageError(f"--{name.replace('_', '-')}: {why}")

    def set_up_logs(self) -> None:
        """Log as the options ask for; by default warnings, as plain text."""
        if self.log_level is not None or self.log_json:
            from fiedler.support.logs import set_up_logs

            set_up_logs(self.log_level or "info", as_json=self.log_json)

    async def publish(self, server: Server) -> None:
        """Publish the metrics of a server, beyond loopback to those with a token; raises UsageError on an address."""
        if self.metrics is None:
            return
        from fiedler.engine.port.metrics import ServerCollector
        from fiedler.support.metrics.page import publish

        await publish(self.metrics, ServerCollector(server), server.access.tokens, server.access.tls)

    def access(self) -> AccessRules:
        """Return the demands on clients; raises UsageError about a file."""
        from fiedler.engine.port.server import AccessRules
        from fiedler.support.tls import server_context
        from fiedler.support.tokens import read_tokens

        tokens = None if self.token_file is None else read_tokens(self.token_file)
        return AccessRules(tokens, None if self.cert is None else server_context(self.cert, self.key))

    def bounds(self) -> Bounds:
        """Return the limits, by default those of the interface; a manager that was dialled has none."""
        from fiedler.engine.port.bounds import bounds_at, bounds_of_manager

        defaults = bounds_at(self.host, self.port) if self.dial is None else bounds_of_manager(self.sessions)
        return defaults.changed(
            self.max_sessions, self.max_per_peer, self.max_rate, self.max_think_s, self.idle_s, self.max_memory_mb
        )

    def manager(self, pinned: str | None) -> Manager:
        """Return the manager to dial; raises UsageError about an address or a file."""
        from fiedler.engine.port.dial import Manager
        from fiedler.protocol import LocalProtocolError
        from fiedler.protocol.admission import Credentials
        from fiedler.support.address import parse_address

        assert self.dial is not None
        address, access = parse_address(self.dial), PortAccess(self.token_file, self.tls, self.ca)
        access.warn_in_clear(address)
        credentials = None
        if pinned is None or not DIALECTS[pinned].dials_in:
            name = self.name or ""
            token = access.token(name)
            credentials = Credentials("" if token is None else token.text, name)
            try:
                credentials.line()
            except LocalProtocolError as error:
                raise UsageError(f"--name: {error}") from None
        return Manager(address, credentials, access.context(), self.sessions)


def server_options(command: Callable[..., Result]) -> Callable[..., Result]:
    """Add the options; the command gets them as one `server`."""

    @functools.wraps(command)
    def gathered(**given: object) -> Result:
        fields = {name: given.pop(name) for name in ServerOptions.__dataclass_fields__}
        return command(server=ServerOptions(**fields), **given)  # type: ignore[arg-type]

    added: Callable[..., Result] = gathered
    for option in reversed(_OPTIONS):
        added = option(added)
    return added


_OPTIONS: tuple[Callable[..., Callable[..., object]], ...] = (
    click.option("--host", default=LOOPBACK, show_default=True, help="The address; others need --token-file."),
    click.option(
        "--port", type=click.IntRange(0, 65535), default=0, show_default=True, help="The port; 0 picks a free one."
    ),
    click.option("--dial", metavar="HOST:PORT", help="Connect to a manager or referee instead of listening."),
    click.option("--name", metavar="N", help="With --dial: the name of this player in the schedule."),
    click.option(
        "--sessions", type=click.IntRange(1, 256), default=1, show_default=True, help="With --dial: connections."
    ),
    click.option(
        "--token-file", type=FILE, metavar="F", help="Tokens that admit clients, one a line; with --dial our token."
    ),
    click.option("--cert", type=FILE, metavar="F", help="The certificate of this server (PEM), for TLS."),
    click.option("--key", type=FILE, metavar="F", help="Its key; by default in the file of the certificate."),
    tls_options,
    click.option("--max-sessions", type=click.IntRange(1, 65536), metavar="N", help="Sessions in all (256)."),
    click.option(
        "--max-per-peer",
        type=click.IntRange(1, 65536),
        metavar="N",
        help="Sessions of one address (256; 32 beyond loopback).",
    ),
    click.option(
        "--max-rate",
        type=click.FloatRange(1.0, 1e9),
        metavar="N",
        help="Lines of a session in a second (1000 beyond loopback).",
    ),
    click.option("--max-think-s", type=SECONDS, metavar="S", help="Seconds of a search (60 beyond loopback)."),
    click.option("--idle-s", type=SECONDS, metavar="S", help="Seconds without a line or a search (3600)."),
    click.option(
        "--max-memory-mb",
        type=click.IntRange(1, 2**40),
        metavar="N",
        help="Memory of trees and tables of all sessions, in MiB (half of the machine's).",
    ),
    click.option("--metrics", metavar="HOST:PORT", help="Publish metrics for Prometheus over HTTP."),
    click.option(
        "--log-level", type=click.Choice(LEVELS), help="Log from this level on, as key=value; debug has all lines."
    ),
    click.option("--log-json", is_flag=True, help="Log as JSON, a line for each event."),
    click.option(
        "--report", is_flag=True, help="Print the port as a JSON line on standard output, or the player that is wrong."
    ),
)
