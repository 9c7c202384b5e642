"""A game between people of a browser and engines: moves in, states out."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from typing import Any, TypedDict

import msgspec

from fiedler.client import AsyncEngine
from fiedler.games.replay import Replay
from fiedler.protocol import Limit
from fiedler.support.errors import UsageError, WorkError
from fiedler.support.text import counted
from fiedler.web.game_documents import PlyScore
from fiedler.web.play.engines import EnginePool
from fiedler.web.play.game import PlayedGame, Report, report_of
from fiedler.web.play.offers import OfferedEngine
from fiedler.web.viewer import PING, PING_S, message

PAUSE_S = 0.25
"""The least seconds between two moves of engines, so that a person can follow."""
STREAMS = 4
"""The most open streams of a game."""
log = logging.getLogger(__name__)
Spawn = Callable[[Coroutine[Any, Any, None]], "asyncio.Task[None]"]


@dataclass(frozen=True)
class Contestants:
    """Who plays: an engine, or None for a person."""

    first: OfferedEngine | None
    second: OfferedEngine | None

    def __getitem__(self, side: int) -> OfferedEngine | None:
        return self.second if side else self.first

    @property
    def person(self) -> int | None:
        """The side of the only person; None if there is none, or two."""
        return None if (self.first is None) == (self.second is None) else int(self.first is not None)


class PlayState(TypedDict):
    """The state of a game with people."""

    id: str
    version: int
    """Rises with each change."""
    game: str
    """The id of the game that is played."""
    names: tuple[str, str]
    level: str
    """The limit of the engine in words, such as `0.1 s a move`."""
    people: tuple[bool, bool]
    """Whether a person has the first side, and the second one."""
    replay: Replay
    result: str
    """`1-0`, `1/2-1/2` or `0-1`; `*` while the game runs."""
    thinks: bool
    """Whether an engine is at work."""
    scores: list[PlyScore]
    """Those of the engines, by ply."""
    report: Report | None
    """The last one of an engine."""
    hint: Report | None
    """That of a hint for the person to move."""
    error: str
    """Why an engine failed; empty if none did."""
    note: str
    """A sentence about the person's rating, at the end."""


class PlayTable:
    """One game. `spawn` starts a task in a group that ends with the server."""

    def __init__(
        self, key: str, game: PlayedGame, seats: Contestants, limit: Limit, engines: EnginePool, spawn: Spawn
    ) -> None:
        self.key = key
        self.game = game
        self.seats = seats
        self.limit = limit
        self.seen = asyncio.get_running_loop().time()
        """The time of the last request, or of the end of the last stream; a move of an engine does not count."""
        self.helped = False
        """Whether the person took back a move or asked for one."""
        self.address = ""
        """The address of the visitor that began it; empty: this machine."""
        self.note = ""
        """A sentence about the person's rating, at the end."""
        self._engines = engines
        self._spawn = spawn
        self._open: dict[str, AsyncEngine] = {}
        self._stack = AsyncExitStack()
        self._thinker: asyncio.Task[None] | None = None
        self._hint: Report | None = None
        self._error = ""
        self._version = 0
        self.streams = 0
        """The open streams: pages that show it."""
        self._closed = False
        self._news = asyncio.Event()
        self.on_end: Callable[[PlayTable], None] = lambda _: None
        """Called when the game ends."""
        self._continue()

    # --- requests -----------------------------------------------------------------------------------------------------

    async def play(self, move: str, ply: int) -> None:
        """Make a person's move, the one after `ply` moves.

        Raises:
            UsageError: It is not legal, not the person's turn, or the position is another one.
        """
        self._touch()
        self._refuse_move(ply)
        await self._interrupt()  # a hint
        self._refuse_move(ply)  # another request may have moved meanwhile
        self.game.play(move)
        self._hint = None
        self._continue()

    def _refuse_move(self, ply: int) -> None:
        if ply != len(self.game.moves):
            raise UsageError(f"the position has {counted(len(self.game.moves), 'move')}, not {ply}")
        if self.seats[self.game.side_to_move] is not None:
            raise UsageError("it is the engine's turn")

    async def retry(self) -> None:
        """Let an engine think again that has failed."""
        self._touch()
        self._continue()

    async def undo(self) -> None:
        """Take back the last move of a person, and what followed."""
        self._touch()
        if self.seats.first is not None and self.seats.second is not None:
            raise UsageError("no person plays")
        await self._interrupt()
        own = [ply for ply, side in enumerate(self.game.sides) if self.seats[side] is None]
        if self.game.resigned is not None:
            self.game.take_back(0)
        elif own:
            self.game.take_back(len(self.game.moves) - own[-1])
        self.helped = True
        self._hint = None
        self._continue()

    async def hint(self) -> None:
        """Ask the engine for the move of the person to move."""
        self._touch()
        offer = self.seats.first or self.seats.second
        if offer is None or self.game.is_over or self.seats[self.game.side_to_move] is not None:
            raise UsageError("a hint is for a person to move, against an engine")
        self.helped = True
        if self._thinker is None or self._thinker.done():
            self._thinker = self._spawn(self._find_hint(offer))
            self.changed()

    async def resign(self) -> None:
        """Resign for the person, or for the person to move."""
        self._touch()
        if self.game.is_over:
            raise UsageError("the game is over")
        if self.seats.first is not None and self.seats.second is not None:
            raise UsageError("no person plays")
        await self._interrupt()
        if self.game.is_over:  # by another request meanwhile
            return
        person = self.seats.person
        self.game.resigned = self.game.side_to_move if person is None else person
        self.changed()
        self.on_end(self)

    async def close(self) -> None:
        """End the game and its engines."""
        if self._closed:
            return
        self._closed = True
        await self._interrupt()
        await self._stack.aclose()
        self.changed()

    # --- states -------------------------------------------------------------------------------------------------------

    @property
    def is_watched(self) -> bool:
        """Whether a page shows it."""
        return self.streams > 0

    def document(self) -> bytes:
        """Return the state as JSON."""
        last = max(self.game.reports, default=None)
        state: PlayState = {
            "id": self.key,
            "version": self._version,
            "game": self.game.game.id,
            "names": self.game.names,
            "level": self.game.level,
            "people": (self.seats.first is None, self.seats.second is None),
            "replay": self.game.replay(),
            "result": self.game.result,
            "thinks": self._thinks,
            "scores": self.game.scores(),
            "report": None if last is None else self.game.reports[last],
            "hint": self._hint,
            "error": self._error,
            "note": self.note,
        }
        return msgspec.json.encode(state)

    async def stream(self) -> AsyncIterator[bytes]:
        """Yield the state now and after each change, as server-sent events; the last one is `gone`."""
        if self.streams >= STREAMS:
            return
        self.streams += 1
        seen = -1
        try:
            while not self._closed:
                if seen != self._version:
                    seen = self._version
                    yield message("state", msgspec.Raw(self.document()), str(seen))
                    continue
                try:
                    async with asyncio.timeout(PING_S):
                        await self._news.wait()
                except TimeoutError:
                    yield PING
            yield message("gone", {})
        finally:
            self.streams -= 1
            self._touch()

    # --- engines ------------------------------------------------------------------------------------------------------

    @property
    def _thinks(self) -> bool:
        return self._thinker is not None and not self._thinker.done()

    def _continue(self) -> None:
        """Let an engine think if it is to move."""
        self._error = ""
        if not self._thinks and not self.game.is_over and self.seats[self.game.side_to_move] is not None:
            self._thinker = self._spawn(self._think())
        self.changed()
        if self.game.is_over:
            self.on_end(self)

    async def _think(self) -> None:
        """Make the moves of the engines until a person is to move."""
        try:
            while not self.game.is_over and (offer := self.seats[self.game.side_to_move]) is not None:
                begun = asyncio.get_running_loop().time()
                engine = await self._engine(offer)
                found = await engine.play(_text(self.game), self.limit)
                if self.seats.first is not None and self.seats.second is not None:
                    await asyncio.sleep(begun + PAUSE_S - asyncio.get_running_loop().time())
                if found.move is None:
                    self.game.resigned = self.game.side_to_move
                else:
                    self.game.play(found.move)
                    self.game.note(found.info)
                self.changed()
        except (WorkError, UsageError) as error:
            self._error = str(error)
        except Exception:  # the other games and the server live on
            log.exception("an engine of %s", self.game.game.id)
            self._error = "the engine failed; the server's log has the reason"
        finally:
            self._thinker = None
            self.changed()
        if self.game.is_over:
            self.on_end(self)

    async def _find_hint(self, offer: OfferedEngine) -> None:
        try:
            ply, side = len(self.game.moves), self.game.side_to_move
            engine = await self._engine(offer)
            found = await engine.play(_text(self.game), self.limit)
            info = found.info
            moves = () if found.move is None else (found.move, *info.pv[1:])
            self._hint = report_of(replace(info, pv=moves), ply + 1, side)
        except (WorkError, UsageError) as error:
            self._error = str(error)
        except Exception:  # the other games and the server live on
            log.exception("an engine of %s", self.game.game.id)
            self._error = "the engine failed; the server's log has the reason"
        finally:
            self._thinker = None
            self.changed()

    async def _engine(self, offer: OfferedEngine) -> AsyncEngine:
        """Return the open engine of an offer; a failed one is opened again."""
        engine = self._open.get(offer.name)
        if engine is None or not engine.is_open:
            engine = self._open[offer.name] = await self._stack.enter_async_context(self._engines.open(offer))
        return engine

    async def _interrupt(self) -> None:
        """Stop a search. Until it has ended it still counts as one, so that no request starts another beside it."""
        while (thinker := self._thinker) is not None and not thinker.done():
            thinker.cancel()
            await asyncio.wait({thinker})

    def _touch(self) -> None:
        self.seen = asyncio.get_running_loop().time()

    def changed(self) -> None:
        """Send the state to the streams."""
        self._version += 1
        self._news.set()
        self._news = asyncio.Event()


def _text(game: PlayedGame) -> str:
    return " ".join(["startpos", *(["moves", *game.moves] if game.moves else [])])
