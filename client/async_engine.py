"""An engine over pipes or TCP, for programs with asyncio."""

from __future__ import annotations

import asyncio
import math
import shlex
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Self

from client.carrier import PORT_PLACE, Access, EngineCarrier, called, calling, connected, piped
from client.errors import EngineGoneError, EngineRefusedError, EngineRulesError
from client.line import LineOfPlay, MovesFromStart, line_of_play
from games import game as game_of
from games.coordinates import coordinates
from games.spelling import meant
from native import IllegalMoveError, Position
from protocol import (
    DEFAULT,
    DIALECTS,
    MAX_MS,
    ClientEvent,
    Identity,
    Info,
    Limit,
    LocalProtocolError,
    Move,
    Offer,
    Option,
    Ready,
    Refusal,
    RemoteProtocolError,
    Start,
)
from protocol.flood import FLOODED, Flood
from support.address import parse_address, reason
from support.errors import UsageError, nearest, printable
from support.tls import client_context
from support.tokens import read_own_token

START_SECONDS = 10.0
"""The time for an engine to start or to take the connection, and again to introduce itself."""
ANSWER_SECONDS = 60.0
"""The time for an answer, beyond the time of the search."""
MAX_EVENTS = 10_000
"""The events of one answer that are kept, the last ones."""
RESIGN = "resign"
"""The word of an engine in place of a move."""

Setting = str | int | float | bool
"""The value of an option."""


@dataclass(frozen=True, slots=True)
class PlayResult:
    """The answer of an engine to a position."""

    move: str | None
    """A legal move in the notation of the game; None: the engine resigns."""
    info: Info
    """The last report of its search with a score, or else the last one; empty if there is none."""


async def open_engine_async(
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
) -> AsyncEngine:
    """Start or reach an engine, greet it, set its options, and return it. Close it, or use it in `async with`.

    Args:
        engine: The words of a command, whose program speaks on its standard streams; or an address, HOST:PORT. Of a
            dialect whose players open the connection (makemove), `{port}` in the command is our port, and an address
            is the one where we listen.
        game: The id of a game, such as `uttt`.
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
    access = _access(token, token_file, ca, tls=tls)
    opened = AsyncEngine(engine, game, protocol, folder, access, start_seconds, answer_seconds)
    await opened.open()
    try:
        await opened.configure(options or {})
    except BaseException:
        await opened.close()
        raise
    return opened


class AsyncEngine:
    """An open engine. Each method is one request; requests of several tasks wait for each other.

    After an EngineError the engine is closed, except after a refusal of `configure`. A UsageError means that nothing
    was sent. A search whose task is cancelled is stopped, and the engine can be used again; any other cancelled
    request closes it.
    """

    def __init__(
        self,
        engine: Sequence[str] | str,
        game: str,
        protocol: str,
        folder: str | Path | None,
        access: Access,
        start_seconds: float,
        answer_seconds: float | None,
    ) -> None:
        """Use `open_engine_async`, which opens it, too.

        Raises:
            UsageError: An argument is wrong.
        """
        if protocol not in DIALECTS:
            raise UsageError(
                f"protocol: expected one of {', '.join(DIALECTS)}, got {protocol!r}{nearest(protocol, DIALECTS)}"
            )
        self._game = game_of(game)
        self._dialect = DIALECTS[protocol]
        self._protocol = protocol
        self._coordinates = coordinates(self._game, self._dialect.coordinates)
        self._shown = printable(engine if isinstance(engine, str) else shlex.join(engine))
        """The engine in messages."""
        self._reach = _reach(engine, self._shown, folder, access, start_seconds, dials_in=self._dialect.dials_in)
        self._start_seconds = start_seconds
        self._answer_seconds = answer_seconds
        self._carrier: EngineCarrier | None = None
        self._turn = asyncio.Lock()
        self._grace_until = math.inf
        """The moment, in the loop's seconds, at which an answer is assumed."""
        self._received_at = -math.inf
        """The moment of the last bytes."""
        self.name = self._shown
        """The name that the engine gave itself, or else its address or command."""
        self.author = ""
        """Its author; empty if it gave none."""
        self.options: dict[str, Option] = {}
        """The options that it offers, by name."""

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    @property
    def is_open(self) -> bool:
        """Whether requests are possible."""
        return self._carrier is not None

    # --- requests -----------------------------------------------------------------------------------------------------

    async def open(self) -> None:
        """Reach the engine, greet it, and compare its game. `open_engine_async` does so.

        Raises:
            UsageError: The program does not exist, or the engine plays another game.
            EngineError: The engine cannot be reached or fails.
        """
        async with self._turn:
            await self._open()

    async def play(
        self,
        position: Position | MovesFromStart | str,
        limit: Limit | float,
        *,
        options: Mapping[str, Setting | None] | None = None,
        new_game: bool = False,
    ) -> PlayResult:
        """Return the move of the engine for the side to move, and the report of its search.

        Args:
            position: A position, a board with its moves, or a text: `startpos` or the notation of the game, then
                optional `moves M1 M2 …`. Dialects that send a game move by move know only positions after moves from
                the start.
            limit: The end of the search, or its time in seconds, above 0.
            options: Options to set first, for this search and later ones.
            new_game: Whether to announce another game first.

        Raises:
            UsageError: The position is wrong or over, or the dialect cannot express it, the limit or an option.
            EngineError: The engine fails.
        """
        found = await self._search(position, limit, options or {}, new_game=new_game)
        return PlayResult(found.move, found.info)

    async def analyse(
        self,
        position: Position | MovesFromStart | str,
        limit: Limit | float,
        *,
        options: Mapping[str, Setting | None] | None = None,
        new_game: bool = False,
    ) -> list[Info]:
        """Search a position and return the reports of the engine in their order, the last one the best.

        Each has the fields that the engine gave: depth in plies, nodes, nodes per second, milliseconds, the score of
        the side to move in centipawns or as a forced result, the principal variation. A dialect without reports
        (GTP, rowcol, makemove) gives one with the move alone, Gomocup the last one. Arguments and errors: see `play`.
        """
        found = await self._search(position, limit, options or {}, new_game=new_game)
        return found.reports or [replace(found.info, pv=found.info.pv or tuple(filter(None, [found.move])))]

    async def configure(self, settings: Mapping[str, Setting | None]) -> None:
        """Set options by name; None presses a button.

        Raises:
            UsageError: An option or a value is not offered; nothing is set.
            EngineRefusedError: The engine refuses a value. It stays open, with the other values set.
            EngineError: The engine fails.
        """
        texts = self._texts(settings)
        if not texts:
            return
        async with self._request() as carrier:
            self._set(texts)
            self._client.ping()
            refusals = [one for one in await self._answer(carrier, Ready, waits=True) if isinstance(one, Refusal)]
        if refusals:
            raise EngineRefusedError(f"{self._shown} refused: {printable(refusals[0].why)}")

    async def ping(self) -> None:
        """Wait for a sign of life. Some dialects have none: then there is no wait.

        Raises:
            EngineError: The engine fails.
        """
        async with self._request() as carrier:
            self._client.ping()
            await self._answer(carrier, Ready)

    async def new_game(self) -> None:
        """Announce another game: the engine forgets the one before. An engine of one game a session is opened anew.

        Raises:
            EngineError: The engine fails.
        """
        async with self._request():
            await self._answer(await self._begin_game(), Ready)

    async def close(self) -> None:
        """Send `quit`, give the engine a moment, then close the connection and kill the program. May be called again.

        A request that is still waiting fails with EngineGoneError.
        """
        carrier, self._carrier = self._carrier, None
        if carrier is not None:
            self._client.quit()
            carrier.send(self._client.data_to_send())
            await carrier.close()

    # --- the conversation ---------------------------------------------------------------------------------------------

    async def _open(self) -> None:
        carrier = self._carrier = await self._reach()
        self._client = self._dialect.client(self._coordinates)
        try:
            await self._greet(carrier)
        except BaseException:
            await self.close()
            raise

    async def _greet(self, carrier: EngineCarrier) -> None:
        self._client.greet()
        for event in await self._answer(carrier, Ready, self._start_seconds):
            if isinstance(event, Offer):
                self.options[event.option.name] = event.option
            elif isinstance(event, Identity) and event.field == "name":
                self.name = printable(event.text)
            elif isinstance(event, Identity):
                self.author = printable(event.text)
        self._client.ask_start()
        answer = (await self._answer(carrier, Start, self._start_seconds))[-1]
        assert isinstance(answer, Start)
        if answer.position is not None and answer.position != str(self._game.position()):
            wrong = printable(answer.position)
            raise UsageError(f"{self._shown} plays another game than {self._game.id}: {wrong}")

    async def _begin_game(self) -> EngineCarrier:
        """Announce another game, whose Ready is then due; return the carrier, a new one if need be."""
        if not self._client.takes_another_game:
            await self.close()
            await self._open()
        self._client.new_game()
        return self._opened

    async def _search(
        self,
        position: Position | MovesFromStart | str,
        limit: Limit | float,
        options: Mapping[str, Setting | None],
        *,
        new_game: bool,
    ) -> _Found:
        line, bound = line_of_play(self._game, position), limit if isinstance(limit, Limit) else _time(limit)
        self._check(bound)
        texts = self._texts(options)
        async with self._request() as opened:
            self._set(texts)
            carrier = await self._begin_game() if new_game else opened
            carrier = await self._ask(carrier, line, bound)
            try:
                events = await self._answer(carrier, Move, self._seconds(bound, line))
            except asyncio.CancelledError:
                self._client.stop()
                carrier.send(self._client.data_to_send())
                raise
            return self._found(events, line.position)

    def _set(self, texts: Mapping[str, str | None]) -> None:
        try:
            for name, text in texts.items():
                self._client.configure(name, text)
        except LocalProtocolError as error:
            raise UsageError(f"protocol {self._protocol}: {error}") from None

    async def _ask(self, carrier: EngineCarrier, line: LineOfPlay, limit: Limit) -> EngineCarrier:
        """Ask for a move, in another game if the moves are not a continuation; return the carrier."""
        try:
            self._client.search(line.moves, limit, line.start)
        except LocalProtocolError:
            carrier = await self._begin_game()
            try:
                self._client.search(line.moves, limit, line.start)
            except LocalProtocolError as error:
                raise UsageError(f"protocol {self._protocol}: {error}") from None
        return carrier

    def _found(self, events: Iterable[ClientEvent], position: Position) -> _Found:
        """Read the answer to a search."""
        *_, answer = events
        assert isinstance(answer, Move)
        reports = [event for event in events if isinstance(event, Info)]
        scored = [one for one in reports if one.score_cp is not None or one.mate is not None]
        info = (scored or reports or [self._client.last_info or Info()])[-1]
        return _Found(None if answer.move == RESIGN else self._legal(position, answer.move), info, reports)

    def _legal(self, position: Position, move: str | None) -> str:
        if move is None:
            raise EngineRulesError(f"{self._shown} sent no move, but legal moves exist{self._wrong_answer()}")
        try:
            return position.move_text(position.parse_move(move))
        except IllegalMoveError as error:
            hint = meant(position, move)
            spelled = f"; did you mean {hint!r}?" if hint else ""
            raise EngineRulesError(f"{self._shown} broke the rules: {printable(str(error))}{spelled}") from None

    @asynccontextmanager
    async def _request(self) -> AsyncIterator[EngineCarrier]:
        """Hold the engine for one request, after the end of a cancelled search; close it if it fails."""
        async with self._turn:
            carrier = self._opened
            try:
                if self._client.owes_move:
                    await self._answer(carrier, Move, waits=True)
                yield carrier
            except UsageError:  # nothing was sent
                raise
            except BaseException as error:
                if not (isinstance(error, asyncio.CancelledError) and self._client.owes_move):
                    await self.close()
                raise

    @property
    def _opened(self) -> EngineCarrier:
        if self._carrier is None:
            raise EngineGoneError(f"{self._shown} was closed")
        return self._carrier

    async def _answer(
        self, carrier: EngineCarrier, kind: type[ClientEvent], seconds: float | None = None, *, waits: bool = False
    ) -> deque[ClientEvent]:
        """Send the pending bytes and return the last events up to the answer of this `kind`.

        `seconds` are by default those of an answer. A refusal is an error at once, unless `waits`.
        """
        seconds = self._answer_seconds if seconds is None else seconds
        events: deque[ClientEvent] = deque(maxlen=MAX_EVENTS)
        flood, self._grace_until = Flood(), _now() + (self._client.grace_s or math.inf)
        try:
            async with asyncio.timeout(seconds):
                while not await self._takes(events, kind, carrier, waits=waits):
                    data = await self._received(carrier)
                    if data is None:
                        continue
                    if not data:
                        raise await self._gone(carrier)
                    if flood.rises(len(data), _now):
                        raise EngineRulesError(f"{self._shown} {FLOODED}{self._wrong_answer()}")
                    self._client.receive_data(data)
        except TimeoutError:
            raise self._late(carrier, seconds or 0.0, received=flood.received > 0) from None
        except OSError as error:
            raise EngineGoneError(f"{self._shown}: {reason(error)}") from None
        return events

    async def _takes(
        self, events: deque[ClientEvent], kind: type[ClientEvent], carrier: EngineCarrier, *, waits: bool
    ) -> bool:
        """Take the events that have come, send the pending bytes, and return whether one event is of this kind."""
        found = False
        while not found and (event := self._client.next_event()) is not None:
            if isinstance(event, Refusal) and event.why and not waits:
                raise EngineRefusedError(f"{self._shown} refused: {printable(event.why)}")
            events.append(event)
            found = isinstance(event, kind)
        if data := self._client.data_to_send():
            try:
                if (pause := self._received_at + self._client.pause_s - _now()) > 0:
                    await asyncio.sleep(pause)
            finally:  # a search whose task is cancelled now is sent, too, and then stopped
                carrier.send(data)
        return found

    async def _received(self, carrier: EngineCarrier) -> bytes | None:
        """Return the next bytes; None if an answer that some programs never send is assumed."""
        until = None if self._grace_until == math.inf else self._grace_until
        try:
            async with asyncio.timeout_at(until) as grace:
                data = await carrier.receive()
        except TimeoutError:
            if not grace.expired():
                raise
            self._client.assume_answer()
            self._grace_until = math.inf
            return None
        self._received_at = _now()
        return data

    async def _gone(self, carrier: EngineCarrier) -> EngineGoneError:
        """Return the error for the end of the engine's output."""
        if self._carrier is not carrier:
            return EngineGoneError(f"{self._shown} was closed")
        message = f"{self._shown} {printable(await carrier.end_message())}{self._wrong_answer()}"
        return EngineGoneError(message, "" if carrier.program is None else carrier.program.error_line)

    def _late(self, carrier: EngineCarrier, seconds: float, *, received: bool) -> EngineGoneError:
        """Return the error for an answer that does not come in time."""
        hint = self._wrong_answer() or self._client.mistake.silence(received=received)
        complaint = "" if carrier.program is None else carrier.program.complaint
        stderr = f"; on standard error: {complaint}" if complaint else ""
        return EngineGoneError(f"{self._shown} had not answered after {seconds:g} s{hint}{stderr}", complaint)

    def _wrong_answer(self) -> str:
        """Return the engine's output in place of an answer, for the end of a message."""
        return self._client.mistake.report(self._client.unfinished)

    # --- arguments ----------------------------------------------------------------------------------------------------

    def _check(self, limit: Limit) -> None:
        if limit.infinite:
            raise UsageError("limit: expected one that ends, got infinite")
        clocks = limit.p1time_ms if limit.p1time_ms is not None else limit.p2time_ms
        given = {
            "depth": limit.depth,
            "nodes": limit.nodes,
            "movetime_ms": limit.movetime_ms,
            "base_ms": clocks,
        }
        for name, value in given.items():
            if value is not None and name not in self._dialect.limits:
                kind = "a clock" if name == "base_ms" else name
                raise UsageError(f"limit: protocol {self._protocol} cannot express {kind}")

    def _seconds(self, limit: Limit, line: LineOfPlay) -> float | None:
        """Return the time for the answer to a search; None: no bound."""
        if self._answer_seconds is None:
            return None
        clock = (limit.p1time_ms, limit.p2time_ms)[line.position.side_to_move]
        return self._answer_seconds + (limit.movetime_ms or clock or 0) / 1000

    def _texts(self, settings: Mapping[str, Setting | None]) -> dict[str, str | None]:
        """Return the values in the spelling of the protocol, before any of them is set."""
        return {name: self._text(name, value) for name, value in settings.items()}

    def _text(self, name: str, value: Setting | None) -> str | None:
        """Return a value in the spelling of the protocol."""
        text = None if value is None else str(value).lower() if isinstance(value, bool) else str(value)
        if name not in self.options and self._client.takes_any_option:
            return text
        if name not in self.options:
            raise UsageError(f"{self._shown} does not offer the option {name!r}{nearest(name, self.options)}")
        try:
            self.options[name].read(text)
        except RemoteProtocolError as error:
            raise UsageError(str(error)) from None
        return text


@dataclass(frozen=True, slots=True)
class _Found:
    """The answer to a search."""

    move: str | None
    """None: the engine resigns."""
    info: Info
    reports: list[Info]


def _now() -> float:
    """Return the seconds of the loop."""
    return asyncio.get_running_loop().time()


def _time(seconds: float) -> Limit:
    """Return a limit of `seconds` for a move."""
    if not 0 < seconds <= MAX_MS / 1000:
        raise UsageError(f"limit: expected seconds above 0 and of at most {MAX_MS // 1000}, got {seconds}")
    return Limit(movetime_ms=max(1, round(1000 * seconds)))


def _access(token: str | None, token_file: str | Path | None, ca: str | Path | None, *, tls: bool) -> Access:
    """Return the demands of a server.

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


def _reach(
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
        address = parse_address(engine)
        return partial(called, address, seconds) if dials_in else partial(connected, address, access, seconds)
    command, place = [*engine], None if folder is None else Path(folder)
    if not command:
        raise UsageError("engine: expected a command or HOST:PORT, got nothing")
    if not dials_in:
        return partial(piped, command, shown, place)
    if not any(PORT_PLACE in word for word in command):
        raise UsageError(f"engine: expected {PORT_PLACE} in the command, since the program connects to us")
    return partial(calling, command, shown, place, seconds)
