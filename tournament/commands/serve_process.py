"""The pages that `tournament run --serve` starts: a child process that ends with the run."""

from __future__ import annotations

import importlib.util
import threading
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Self
from urllib.parse import quote

from fiedler.games.others import environment
from fiedler.support.address import is_local, parse_address
from fiedler.support.companion import Companion
from fiedler.support.errors import UsageError
from fiedler.tournament.commands.serve import PROGRAM
from fiedler.tournament.commands.serve_options import DEFAULT, ServeOptions

WAIT_S = 10.0
"""Seconds for the end of the server; then it is killed."""
LOOK_S = 0.05


def pages_at(text: str, results: Path) -> ServeOptions:
    """Return the options of the pages at HOST:PORT; at the default address any free port will do.

    Raises:
        UsageError: it is not an address of this machine, or the extra is missing.
    """
    if importlib.util.find_spec("uvicorn") is None:
        raise UsageError("--serve: the pages need the extra web: pip install 'fiedler[web]'")
    try:
        address = parse_address(text)
        local = is_local(address)
    except (UsageError, OSError, UnicodeError) as error:
        raise UsageError(f"--serve: {error}") from None
    if not local:
        raise UsageError(f"--serve: expected an address of this machine alone, got {text}; see `tournament serve`")
    return ServeOptions(results, address.host, address.port, any_port=text == DEFAULT)


class PagesProcess:
    """A context manager: the server of the pages of one run."""

    def __init__(self, options: ServeOptions, run: str, warn: Callable[[str], None], rules: str = "") -> None:
        """`warn` takes the errors of the server, in another thread; `rules` is the place of rules of the run's own."""
        self._options = options
        self._run = run
        self._warn = warn
        self._environment = environment(rules) if rules else None
        self._companion: Companion | None = None
        self._listening = threading.Event()
        self.url = ""
        """The address of the run's page; empty if the server has failed."""

    def __enter__(self) -> Self:
        try:
            self._options.results.mkdir(parents=True, exist_ok=True)
            self._companion = Companion([*PROGRAM, *self._options.words, "--child"], self._take, self._environment)
        except OSError as error:
            self._warn(f"no pages: {error}")
            return self
        while not self._listening.wait(LOOK_S) and self._companion.is_running:
            pass
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._companion is not None:
            self._companion.close(WAIT_S)

    def wait(self) -> None:
        """Wait until the server ends, which it does not by itself."""
        if self._companion is not None:
            self._companion.wait()

    def _take(self, line: str) -> None:
        if line.startswith("listening on "):
            self.url = f"{line.rsplit(maxsplit=1)[-1]}runs/{quote(self._run, safe='')}"
            self._listening.set()
        else:
            self._warn(f"pages: {line.removeprefix('error: ')}")
