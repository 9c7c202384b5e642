"""The server: a socket, uvicorn, and its end."""

from __future__ import annotations

import asyncio
import errno
import logging
import os
import resource
import signal
import socket
import sys
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import replace

import uvicorn
import uvloop
from starlette.applications import Starlette

from fiedler.support.address import Address, reason
from fiedler.support.errors import UsageError
from fiedler.support.interrupt import INTERRUPTED
from fiedler.support.keep_alive import keep_alive
from fiedler.support.listener import listener
from fiedler.web.app import application
from fiedler.web.connection import Rooms, connections
from fiedler.web.counting import Counting
from fiedler.web.last_resort import LastResort
from fiedler.web.settings import SiteSettings

LAST_S = 3.0
"""Seconds for the viewers to get the last ranking when the run of a child has ended."""
SEND_BUFFER = 1 << 16
"""Bytes that the system keeps for a viewer."""
END_S = 0.5
"""Seconds for requests under way when the server ends."""
MOST_FILES = 8192
"""The files that the server wants to open, if the system lets it: each viewer is one."""
CODES: dict[int, int] = {signal.SIGTERM: 0, signal.SIGINT: INTERRUPTED}


def open_port(address: Address, *, or_any: bool = False) -> socket.socket:
    """Return a socket that listens, with `or_any` at a free port if this one is in use; raises UsageError."""
    try:
        found = listener(address)
        # its connections inherit this: a viewer that is gone, or takes nothing, is dropped, and costs little until then
        keep_alive(found)
        found.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER)
    except (OSError, UnicodeError) as error:
        if or_any and getattr(error, "errno", None) == errno.EADDRINUSE:
            return open_port(Address(address.host, 0))
        raise UsageError(f"cannot listen on {address}: {reason(error)}") from None
    return found


def serve(settings: SiteSettings, listening: socket.socket, *, ends_with_input: bool = False) -> int:
    """Serve until a signal, or until standard input ends; return the exit code.

    Prints `listening on http://HOST:PORT/` on standard error. Raises UsageError if the address of the metrics is wrong.
    """
    _want_files()
    rooms = Rooms.of_this_process()
    settings = replace(settings, viewers=min(settings.viewers, rooms.most_viewers))
    app = application(settings)
    counting = Counting(app)
    logging.getLogger("uvicorn.error").setLevel(logging.CRITICAL)  # strangers could fill the log; `Counting` has ours
    config = uvicorn.Config(
        counting,
        http=connections(rooms),
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=END_S,  # type: ignore[arg-type]  # a fraction will do
    )
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        if settings.metrics is not None:
            # imported only where it is used: prometheus_client takes more than 1 MB
            from fiedler.support.metrics.page import publish
            from fiedler.web.metrics import SiteCollector

            runner.run(publish(settings.metrics, SiteCollector(counting, app.state), settings.tokens))
        return runner.run(_serve(_Server(config, app), settings, listening, ends_with_input=ends_with_input))


def _want_files() -> None:
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = MOST_FILES if hard == resource.RLIM_INFINITY else min(MOST_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))


class _Server(uvicorn.Server):
    """Signals are ours; the open streams end before the server waits for its requests."""

    def __init__(self, config: uvicorn.Config, app: Starlette) -> None:
        super().__init__(config)
        self._app = app
        self.begin: Callable[[], None] = lambda: None
        """Is called when the server has started; a server that is ended earlier would not end."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start."""
        await super().startup(sockets)
        self.begin()

    @property
    def has_viewers(self) -> bool:
        """Whether somebody watches."""
        return bool(self._app.state.followers.viewers)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End the streams, then everything else."""
        self._app.state.followers.close()
        await self._app.state.tables.close()
        await super().shutdown(sockets)

    @contextmanager
    def capture_signals(self) -> Generator[None, None, None]:
        """Leave them alone."""
        yield


async def _serve(server: _Server, settings: SiteSettings, listening: socket.socket, *, ends_with_input: bool) -> int:
    loop = asyncio.get_running_loop()
    last_resort = LastResort(CODES)
    code = 0

    def end(number: int) -> None:
        nonlocal code
        code = CODES[number]
        last_resort.end(code)
        server.force_exit, server.should_exit = server.should_exit, True

    def read() -> None:
        if not os.read(sys.stdin.fileno(), 1 << 12):
            loop.remove_reader(sys.stdin.fileno())
            loop.call_later(LAST_S if server.has_viewers else 0.0, end, signal.SIGTERM)

    def begin() -> None:
        for number in CODES:
            loop.add_signal_handler(number, end, number)
        last_resort.listen()
        if ends_with_input:
            loop.add_reader(sys.stdin.fileno(), read)
        host, port = listening.getsockname()[:2]
        print(f"listening on http://{Address(host, port)}{settings.base}/", file=sys.stderr, flush=True)

    server.begin = begin
    await server.serve(sockets=[listening])
    return code
