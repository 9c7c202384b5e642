"""An engine over pipes or TCP, for programs without asyncio, and for notebooks."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeVar

from fiedler.client.async_engine import ANSWER_SECONDS, START_SECONDS, AsyncEngine, open_engine_async
from fiedler.client.errors import EngineGoneError
from fiedler.client.line import MovesFromStart
from fiedler.client.loop_thread import LoopThread
from fiedler.client.search_result import PlayResult
from fiedler.client.setting import Setting
from fiedler.games.position import Position
from fiedler.protocol import DEFAULT, Info, Limit, Option

Result = TypeVar("Result")


def open_engine(
    engine: Sequence[str] | str,
    game: str,
    *,
    protocol: str = DEFAULT,
    options: Mapping[str, Setting] | None = None,
    folder: str | Path | None = None,
    token: str | None = None,
    token_file: str | Path | None = None,
    tls: bool = False,
    ca: str | Path | None = None,
    start_seconds: float = START_SECONDS,
    answer_seconds: float | None = ANSWER_SECONDS,
) -> Engine:
    """Start or reach an engine, greet it, set its options, and return it. Close it, or use it in `with`.

    Args:
        engine: The words of a command, whose program speaks on its standard streams; or an address, HOST:PORT. Of a
            dialect whose players open the connection (makemove), `{port}` in the command is our port, `{movetime_s}`
            is 0.1, and an address is the one where we listen.
        game: The id of a game, such as `uttt`, `openspiel:hex`, or that of an installed one.
        protocol: The dialect, a key of `protocol.DIALECTS`.
        options: Values by the names that the engine offers.
        folder: The working folder of the program; by default the current one.
        token: The word that admits us to a server.
        token_file: A file with this word, instead of `token`.
        tls: Whether the connection is encrypted.
        ca: A PEM file of the authorities to trust, which implies `tls`; by default those of the system.
        start_seconds: The time for the engine to start or to take the connection, and again to introduce itself.
        answer_seconds: The time for an answer, beyond the time of a search. None: no bound.

    Raises:
        UsageError: An argument is wrong, the program does not exist, or the engine plays another game.
        EngineError: The engine cannot be reached or fails.
    """
    settings: dict[str, Any] = {
        "protocol": protocol,
        "options": options,
        "folder": folder,
        "token": token,
        "token_file": token_file,
        "tls": tls,
        "ca": ca,
        "start_seconds": start_seconds,
        "answer_seconds": answer_seconds,
    }
    thread = LoopThread()
    try:
        return Engine(thread, lambda: open_engine_async(engine, game, **settings))
    except BaseException:
        thread.close()
        raise


class Engine:
    """An open engine. Each method is one request and blocks; requests of several threads wait for each other.

    The errors are those of `AsyncEngine`. After an EngineError the engine is closed, except after a refusal of
    `configure`. A UsageError means that nothing was sent. A Ctrl-C during a search stops it.
    """

    def __init__(self, thread: LoopThread, opening: Callable[[], Coroutine[Any, Any, AsyncEngine]]) -> None:
        """Use `open_engine`."""
        self._thread = thread
        self._opening = opening
        self._engine = thread.run(opening())

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def name(self) -> str:
        """The name that the engine gave itself, or else its address or command."""
        return self._engine.name

    @property
    def author(self) -> str:
        """Its author; empty if it gave none."""
        return self._engine.author

    @property
    def options(self) -> Mapping[str, Option]:
        """The options that it offers, by name."""
        return self._engine.options

    @property
    def is_open(self) -> bool:
        """Whether requests are possible."""
        return self._engine.is_open

    def play(
        self,
        position: Position | MovesFromStart | str,
        limit: Limit | float,
        *,
        options: Mapping[str, Setting | None] | None = None,
        new_game: bool = False,
    ) -> PlayResult:
        """Return the move of the engine for the side to move, and the report of its search; see `AsyncEngine.play`."""
        return self._run(self._engine.play(position, limit, options=options, new_game=new_game))

    def analyse(
        self,
        position: Position | MovesFromStart | str,
        limit: Limit | float,
        *,
        options: Mapping[str, Setting | None] | None = None,
        new_game: bool = False,
    ) -> list[Info]:
        """Return the reports of a search in their order, the last one the best; see `AsyncEngine.analyse`."""
        return self._run(self._engine.analyse(position, limit, options=options, new_game=new_game))

    def configure(self, settings: Mapping[str, Setting | None]) -> None:
        """Set options by name; None presses a button; see `AsyncEngine.configure`."""
        self._run(self._engine.configure(settings))

    def ping(self) -> None:
        """Wait for a sign of life; see `AsyncEngine.ping`."""
        self._run(self._engine.ping())

    def new_game(self) -> None:
        """Announce another game; see `AsyncEngine.new_game`."""
        self._run(self._engine.new_game())

    def reopen(self) -> None:
        """Open the engine again as `open_engine` did, after an EngineError for example; an open one is closed first.

        Raises:
            EngineError: The engine cannot be reached or fails, or `close` was called.
        """
        self._run(self._engine.close())
        self._engine = self._run(self._opening())

    def close(self) -> None:
        """Close the engine; may be called again, and by another thread than the one that waits for an answer."""
        if self._thread.is_running:
            try:
                self._thread.run(self._engine.close())
            finally:
                self._thread.close()

    def _run(self, request: Coroutine[Any, Any, Result]) -> Result:
        if not self._thread.is_running:
            request.close()
            raise EngineGoneError(f"{self.name} was closed")
        return self._thread.run(request)
