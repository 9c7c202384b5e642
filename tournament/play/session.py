"""One connection to a player, over any carrier of bytes; a game owns it during the game."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Protocol

from msgspec import Struct

import protocol
from protocol.blocking import drained
from protocol.flood import FLOODED, Flood
from support.errors import nearest
from tournament.play.process import Process
from tournament.play.traffic_log import SAID, TOLD, Voice

EXIT_GRACE_S = 0.25
"""seconds from the end of the stream to the end of the process: within them it is a crash"""
SEED = "seed"
MATE = 10**6
"""centipawns that a forced win stands for"""


class Fault(Struct, frozen=True):
    """Why a player is lost: `termination` is `time`, `crash` or `disconnect`; `detail` is for people."""

    termination: str
    detail: str


class PlayerLostError(Exception):
    """A player failed outside of its own move: at the start, or while it got ready."""

    def __init__(self, player: str, fault: Fault) -> None:
        super().__init__(f"{player}: {fault.detail}")
        self.player = player
        self.fault = fault


class OptionError(Exception):
    """The player does not offer an option, or not this value; the message says which."""


class Carrier(Protocol):
    """What takes the bytes of a session to the player: a socket, or the pipes of a process."""

    def write(self, data: bytes) -> None:
        """Send bytes; never blocks, never raises for a lost player."""

    def abort(self) -> None:
        """Cut the connection at once."""

    async def close(self) -> None:
        """End the connection, after a short grace. Takes at most about two seconds."""


class Listener(Protocol):
    """Who is told what happens during a game; called from the event loop, must not block."""

    def moved(self, session: Session, move: str | None) -> None:
        """The player answered `search`; None if it has no move."""

    def lost(self, session: Session, fault: Fault) -> None:
        """The player will not answer any more."""


class Session:
    """A player that has been reached. `feed` and `ended` are for the carrier, everything else for the manager."""

    def __init__(
        self,
        player: str,
        carrier: Carrier,
        process: Process | None,
        client: protocol.Client,
        voice: Voice | None = None,
    ) -> None:
        """Speak with `player` over `carrier` in the dialect of `client`; `voice` logs the traffic.

        `process` is the program behind it, where we started it.
        """
        self.player = player
        self.options: dict[str, protocol.Option] = {}
        self.fault: Fault | None = None
        self.listener: Listener | None = None
        self.is_ending = False
        """no more bytes will come; the fault follows within EXIT_GRACE_S"""
        self.was_idle = False
        """it was given back and taken again"""
        self._carrier = carrier
        self._voice = voice
        self._process = process
        self._client = client
        client.reads_info = False
        self._clock = asyncio.get_running_loop().time
        self._flood = Flood()
        self._words_before = 0
        """bytes that its program had written on standard error before the last question"""
        self._start: str | None = None
        self._awaited: type[object] | None = None
        """the event that will answer what was asked for; None once it has come"""
        self._waiter: asyncio.Future[None] | None = None
        self._ready_by = 0.0

    def feed(self, data: bytes) -> None:
        """Take bytes that came from the player."""
        if self._voice is not None:
            self._voice.hear(SAID, data)
        if self._flood.rises(len(data), self._clock):
            self._drop(Fault("disconnect", FLOODED))
        if self.fault is not None:
            return
        if self.listener is not None and (move := self._client.receive_move(data)):
            self.listener.moved(self, move)
            return
        self._client.receive_data(data)
        self._hear()

    def ended(self, why: str) -> None:
        """Take note that no more bytes will come. A process that is gone, too, makes it a crash."""
        self.is_ending = True
        process = self._process
        if process is None:
            self._fail(Fault("disconnect", why + (self.said if self.owes_move else "")))
            return
        said = self.said if self.owes_move or self._awaited is not None else ""
        process.exited.add_done_callback(lambda _: self._fail(Fault("crash", process.story + said)))
        loop = asyncio.get_running_loop()
        loop.call_later(EXIT_GRACE_S, lambda: self._fail(Fault("disconnect", why + said + self._complaint)))

    @property
    def offers_seed(self) -> bool:
        """Whether the player can be made reproducible."""
        return SEED in self.options

    @property
    def mistake(self) -> str:
        """What it did in place of answering the last question, for the end of a message."""
        return (self.said or self._client.mistake.silence(heard=self._flood.received > 0)) + self._complaint

    @property
    def said(self) -> str:
        """What it said in place of the answer to the last question, for the end of a message; empty if nothing."""
        return self._client.mistake.told(self._client.unfinished)

    @property
    def _complaint(self) -> str:
        """What its program wrote on standard error since the last question."""
        words = "" if self._process is None else self._process.words_since(self._words_before)
        return f"; on standard error: {words}" if words else ""

    def take_stray(self) -> str:
        """Return, once, the first `bestmove` that it said although nobody had asked; empty if there was none."""
        return self._client.mistake.take_stray()

    @property
    def owes_move(self) -> bool:
        """Whether a search has not been answered yet."""
        return self._client.owes_move

    @property
    def last_info(self) -> protocol.Info | None:
        """The last finding of the player's search for its present or last move; None if it said none."""
        return self._client.last_info

    @property
    def last_score(self) -> int | None:
        """What it said last about the position that it was asked about, in centipawns for itself; None if nothing."""
        info = self._client.last_info
        if info is None or info.mate is None:
            return None if info is None else info.score_cp
        return MATE if info.mate > 0 else -MATE

    async def shake_hands(self, options: Mapping[str, str]) -> None:
        """Introduce ourselves, set the options, wait until the player is ready.

        Raises:
            PlayerLostError: it ended or was cut off.
            OptionError: it does not offer one of the options, or not this value.

        """
        self._client.greet()
        self._ask(protocol.Ready)
        await self._answer()
        for name, value in options.items():
            self._set(name, self._checked(name, value))
        self._client.ping()
        self._ask(protocol.Ready)
        await self._answer()

    async def start_position(self) -> str | None:
        """Return the position it starts from in one word; None from a program that cannot say.

        Raises PlayerLostError.
        """
        self._client.ask_start()
        self._ask(protocol.Start)
        await self._answer()
        return self._start

    def announce(self, seed: int, seconds: float) -> None:
        """Announce a new game, for which the player gets ready within so many seconds; `ready` must follow."""
        self._ready_by = asyncio.get_running_loop().time() + seconds
        if self.fault is None:
            if self.offers_seed:
                self._client.configure(SEED, str(self._within_bounds(seed)))
            self._client.new_game()
        self._ask(protocol.Ready)

    async def ready(self) -> None:
        """Wait until the player is ready for the game that was announced. Raises PlayerLostError or TimeoutError."""
        if self._awaited is not None:
            async with asyncio.timeout_at(self._ready_by):
                await self._answer()

    def go(self, moves: Sequence[str], limit: protocol.Limit) -> None:
        """Ask for the move after `moves`, in one write; the listener hears of it. The list may grow, and only that."""
        self._client.search(moves, limit)
        if self._process is not None:
            self._words_before = self._process.words_so_far
        self._send()

    async def settle(self, seconds: float) -> None:
        """Stop a search whose answer came too late; a player that does not stop within `seconds` is cut off."""
        if self.fault is not None or not self.owes_move:
            return
        self._client.stop()
        self._ask(protocol.Move)
        try:
            async with asyncio.timeout(seconds):
                await self._answer()
        except TimeoutError:
            self._drop(Fault("time", "did not stop"))
        except PlayerLostError:
            return

    def cut_off(self, fault: Fault) -> None:
        """Give the player up."""
        self._drop(fault)

    async def close(self) -> None:
        """Say goodbye and let go of the player; one that has failed gets no grace."""
        if self.fault is None:
            self._client.quit()
            self._send()
        else:
            self._carrier.abort()
        await self._carrier.close()
        if self._voice is not None:
            self._voice.end()

    def _hear(self) -> None:
        # all that has come, before anything is done about it: none of it can answer what is asked next
        for event in drained(self._client):
            if type(event) is protocol.Move and self.listener is not None:
                self.listener.moved(self, event.move)
            elif type(event) is protocol.Offer:
                self.options[event.option.name] = event.option
            elif type(event) is protocol.Start:
                self._start = event.position
            self._resolve(type(event))

    def _checked(self, name: str, value: str) -> str | None:
        option = self.options.get(name)
        if option is None:
            known = ", ".join(self.options) or "none"
            raise OptionError(f"unknown option {name!r}{nearest(name, self.options) or f'; it offers: {known}'}")
        sent = None if option.type == "button" else value
        try:
            option.read(sent)
        except protocol.RemoteProtocolError as error:
            raise OptionError(str(error)) from error
        return sent

    def _set(self, name: str, value: str | None) -> None:
        try:
            self._client.configure(name, value)
        except protocol.LocalProtocolError as error:
            raise OptionError(f"option {name!r}: {error}") from error

    def _within_bounds(self, seed: int) -> int:
        option = self.options[SEED]
        low = min(0, option.max or 0) if option.min is None else option.min
        return low + (seed if option.max is None else seed % (option.max - low + 1))

    def _ask(self, kind: type[object]) -> None:
        """Send what is waiting to be sent; an event of this kind will be the answer."""
        self._awaited = kind
        if self._process is not None:
            self._words_before = self._process.words_so_far
        if self.fault is None:
            self._send()
            self._hear()  # what the dialect has no words for is answered already

    async def _answer(self) -> None:
        """Wait for the answer to what was asked for, if it has not come yet. Raises PlayerLostError."""
        try:
            if self._awaited is not None and self.fault is None:
                self._waiter = asyncio.get_running_loop().create_future()
                await self._waiter
            if self._awaited is not None and self.fault is not None:
                raise PlayerLostError(self.player, self.fault)
        finally:
            self._awaited = self._waiter = None

    def _resolve(self, kind: type[object]) -> None:
        if self._awaited is kind:
            self._awaited = None
            self._wake()

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    def _send(self) -> None:
        self._flood.ask()
        data = self._client.data_to_send()
        if self._voice is not None:
            self._voice.hear(TOLD, data)
        self._carrier.write(data)

    def _drop(self, fault: Fault) -> None:
        self._fail(fault)
        self._carrier.abort()

    def _fail(self, fault: Fault) -> None:
        """Record the first fault and tell whoever waits for the player."""
        if self.fault is not None:
            return
        self.fault = fault
        self._wake()
        if self.listener is not None:
            self.listener.lost(self, fault)
