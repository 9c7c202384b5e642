"""An engine over pipes or TCP, for programs with asyncio."""

from __future__ import annotations

import asyncio
import shlex
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path
from types import TracebackType
from typing import Self

from fiedler.client.call import Access
from fiedler.client.dialogue import Dialogue
from fiedler.client.errors import EngineGoneError, EngineRefusedError
from fiedler.client.line import LineOfPlay, MovesFromStart, line_of_play
from fiedler.client.reach import access, way
from fiedler.client.search_limit import search_limit, search_seconds
from fiedler.client.search_result import PlayResult, SearchResult, search_result
from fiedler.client.setting import Setting, needed_texts, setting_texts
from fiedler.games import any_game
from fiedler.games.coordinates import coordinates, fits
from fiedler.games.position import Position
from fiedler.protocol import (
    DEFAULT,
    DIALECTS,
    Identity,
    Info,
    Limit,
    LocalProtocolError,
    Move,
    Offer,
    Option,
    Ready,
    Refusal,
    Start,
)
from fiedler.support.errors import UsageError, nearest, printable

START_SECONDS = 10.0
"""The time for an engine to start or to take the connection, and again to introduce itself."""
ANSWER_SECONDS = 60.0
"""The time for an answer, beyond the time of the search."""


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
    admission = access(token, token_file, ca, tls=tls)
    opened = AsyncEngine(engine, game, protocol, folder, admission, start_seconds, answer_seconds)
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
        admission: Access,
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
        self._game = any_game(game)
        if not self._game.has_rules:
            raise UsageError(f"expected a game whose rules are known here, got {game!r}")
        self._dialect = DIALECTS[protocol]
        self._protocol = protocol
        self._shown = printable(engine if isinstance(engine, str) else shlex.join(engine))
        """The engine in messages."""
        self._reach = way(engine, self._shown, folder, admission, start_seconds, dials_in=self._dialect.dials_in)
        if not fits(self._game, self._dialect.coordinates):
            raise UsageError(f"protocol: {protocol} has no names for the moves of {game}")
        self._coordinates = coordinates(self._game, self._dialect.coordinates)
        self._start_seconds = start_seconds
        self._answer_seconds = answer_seconds
        self._dialogue: Dialogue | None = None
        """None: it is closed."""
        self._takes_any_option = False
        """Whether the dialect does not know the options of an engine."""
        self._turn = asyncio.Lock()
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
        return self._dialogue is not None

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
        async with self._request() as dialogue:
            self._set(dialogue, texts)
            dialogue.client.ping()
            refusals = [one for one in await dialogue.answer(Ready, waits=True) if isinstance(one, Refusal)]
        if refusals:
            raise EngineRefusedError(f"{self._shown} refused: {printable(refusals[0].why)}")

    async def ping(self) -> None:
        """Wait for a sign of life. Some dialects have none: then there is no wait.

        Raises:
            EngineError: The engine fails.
        """
        async with self._request() as dialogue:
            dialogue.client.ping()
            await dialogue.answer(Ready)

    async def new_game(self) -> None:
        """Announce another game: the engine forgets the one before. An engine of one game a session is opened anew.

        Raises:
            EngineError: The engine fails.
        """
        async with self._request():
            await (await self._begin_game()).answer(Ready)

    async def close(self) -> None:
        """Send `quit`, give the engine a moment, then close the connection and kill the program. May be called again.

        A request that is still waiting fails with EngineGoneError.
        """
        dialogue, self._dialogue = self._dialogue, None
        if dialogue is not None:
            await dialogue.close()

    # --- the conversation ---------------------------------------------------------------------------------------------

    async def _open(self) -> None:
        client = self._dialect.client(self._coordinates)
        self._takes_any_option = client.takes_any_option
        dialogue = self._dialogue = Dialogue(await self._reach(), client, self._shown, self._answer_seconds)
        try:
            await self._greet(dialogue)
        except BaseException:
            await self.close()
            raise

    async def _greet(self, dialogue: Dialogue) -> None:
        dialogue.client.greet()
        for event in await dialogue.answer(Ready, self._start_seconds):
            if isinstance(event, Offer):
                self.options[event.option.name] = event.option
            elif isinstance(event, Identity) and event.field == "name":
                self.name = printable(event.text)
            elif isinstance(event, Identity):
                self.author = printable(event.text)
        self._set(dialogue, needed_texts(self._game.engine_options(), self.options))
        dialogue.client.ask_start()
        answer = (await dialogue.answer(Start, self._start_seconds))[-1]
        assert isinstance(answer, Start)
        if answer.position is not None and answer.position != str(self._game.position()):
            wrong = printable(answer.position)
            raise UsageError(f"{self._shown} plays another game than {self._game.id}: {wrong}")

    async def _begin_game(self) -> Dialogue:
        """Announce another game, whose Ready is then due; return the dialogue, a new one if need be."""
        if not self._opened.client.takes_another_game:
            await self.close()
            await self._open()
        self._opened.client.new_game()
        return self._opened

    async def _search(
        self,
        position: Position | MovesFromStart | str,
        limit: Limit | float,
        options: Mapping[str, Setting | None],
        *,
        new_game: bool,
    ) -> SearchResult:
        line, bound = line_of_play(self._game, position), search_limit(limit, self._protocol)
        texts = self._texts(options)
        async with self._request() as opened:
            self._set(opened, texts)
            dialogue = await self._begin_game() if new_game else opened
            dialogue = await self._ask(dialogue, line, bound)
            try:
                events = await dialogue.answer(Move, self._seconds(bound, line))
            except asyncio.CancelledError:
                dialogue.stop()
                raise
            wrong = dialogue.wrong_answer
            return search_result(events, dialogue.client.last_info, self._game, line.position, self._shown, wrong)

    def _set(self, dialogue: Dialogue, texts: Mapping[str, str | None]) -> None:
        try:
            for name, text in texts.items():
                dialogue.client.configure(name, text)
        except LocalProtocolError as error:
            raise UsageError(f"protocol {self._protocol}: {error}") from None

    async def _ask(self, dialogue: Dialogue, line: LineOfPlay, limit: Limit) -> Dialogue:
        """Ask for a move, in another game if the moves are not a continuation; return the dialogue."""
        try:
            dialogue.client.search(line.moves, limit, self._game.written_start(line.start))
        except LocalProtocolError:
            dialogue = await self._begin_game()
            try:
                dialogue.client.search(line.moves, limit, self._game.written_start(line.start))
            except LocalProtocolError as error:
                raise UsageError(f"protocol {self._protocol}: {error}") from None
        return dialogue

    def _seconds(self, limit: Limit, line: LineOfPlay) -> float | None:
        """Return the time for the answer to a search; None: no bound."""
        if self._answer_seconds is None:
            return None
        return self._answer_seconds + search_seconds(limit, line.position.side_to_move)

    def _texts(self, settings: Mapping[str, Setting | None]) -> dict[str, str | None]:
        """Return the values in the spelling of the protocol, before any of them is set."""
        return setting_texts(settings, self.options, self._shown, takes_any=self._takes_any_option)

    @asynccontextmanager
    async def _request(self) -> AsyncIterator[Dialogue]:
        """Hold the engine for one request, after the end of a cancelled search; close it if it fails."""
        async with self._turn:
            dialogue = self._opened
            try:
                if dialogue.client.owes_move:
                    await dialogue.answer(Move, waits=True)
                yield dialogue
            except UsageError:  # nothing was sent
                raise
            except BaseException as error:
                if not (isinstance(error, asyncio.CancelledError) and self._owes_move):
                    await self.close()
                raise

    @property
    def _owes_move(self) -> bool:
        """Whether the answer to a search is pending."""
        return self._dialogue is not None and self._dialogue.client.owes_move

    @property
    def _opened(self) -> Dialogue:
        if self._dialogue is None:
            raise EngineGoneError(f"{self._shown} was closed")
        return self._dialogue
