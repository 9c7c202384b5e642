"""Receivers of notices: HTTP servers at real sockets that answer, refuse or hang."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, NamedTuple

from tests.patience import wait_until

SECRET = "s3cret-W0rd"


class Post(NamedTuple):
    path: str
    headers: dict[str, str]
    body: str

    @property
    def document(self) -> Any:
        return json.loads(self.body)


class Receiver:
    """A server that keeps the posts; it answers with the `codes` in turn, the last one for ever."""

    def __init__(self, *codes: int) -> None:
        self.posts: list[Post] = []
        self._codes = list(codes or [200])
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True).start()
        self.url = f"http://127.0.0.1:{self._server.server_port}/{SECRET}"

    @property
    def events(self) -> list[str]:
        return [post.document["notice"]["event"] for post in self.posts]

    def wait_for(self, count: int) -> None:
        wait_until(lambda: len(self.posts) >= count, f"only {self.posts}")

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"])).decode()
                receiver.posts.append(Post(self.path, dict(self.headers), body))
                codes = receiver._codes
                self.send_response(codes.pop(0) if len(codes) > 1 else codes[0])
                self.send_header("Location", receiver.url)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_: object) -> None:
                """Print nothing."""

        return Handler


@contextmanager
def receiving(*codes: int) -> Iterator[Receiver]:
    receiver = Receiver(*codes)
    try:
        yield receiver
    finally:
        receiver.close()


@contextmanager
def silent() -> Iterator[str]:
    """Yield the URL of a port whose connections are never answered."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield f"http://127.0.0.1:{server.getsockname()[1]}/{SECRET}"


def closed() -> str:
    """Return the URL of a port at which nobody listens."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        return f"http://127.0.0.1:{server.getsockname()[1]}/{SECRET}"
