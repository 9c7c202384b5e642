"""One connection to a player, over any carrier of bytes. One game at a time owns it."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol

from msgspec import Struct

from fiedler import protocol
from fiedler.client.child import Child
from fiedler.protocol.blocking import drained
from fiedler.protocol.lines import last_lines
from fiedler.protocol.ugi.queries import CAPABILITIES
from fiedler.support.inflow import Inflow
from fiedler.tournament.play.awaited_answer import Answered, AwaitedAnswer
from fiedler.tournament.play.clock import reserved
from fiedler.tournament.play.lag import PINGS, Lag
from fiedler.tournament.play.offered_options import OfferedOptions
from fiedler.tournament.play.roster import CHOICE
from fiedler.tournament.play.stream import Carrier, PlayerStream
from fiedler.tournament.play.traffic_log import SessionLog
from fiedler.tournament.termination import Termination

EXIT_GRACE_S = 0.25
"""Most seconds from the end of the stream to the end of the process that make it a crash."""
MATE = 10**6
"""Centipawns of a forced win."""


class Fault(Struct, frozen=True):
    """A player's failure: `termination` is `time`, `crash` or `disconnect`; `detail` is a phrase for reports."""

    termination: Termination
    detail: str
    absent: bool = False
    """Whether the player that dials in had no connection: a game that has not begun waits for it."""


class PlayerLostError(Exception):
    """A player failed outside of its own move: at its start, or while it got ready."""

    def __init__(self, player: str, fault: Fault) -> None:
        super().__init__(f"{player}: {fault.detail}")
        self.player = player
        self.fault = fault


class SessionListener(Protocol):
    """Receives the events of a session during a game; called from the event loop, must not block."""

    def moved(self, session: PlayerSession, move: str | None, came: float) -> None:
        """The player answered `search` with bytes of the moment `came`, of `time.monotonic`; None: it has no move."""

    def lost(self, session: PlayerSession, fault: Fault) -> None:
        """The player will not answer any more."""


class PlayerSession:
    """A connected player. `feed` and `ended` are for the carrier, everything else for the manager."""

    remark = ""
    """The finding of the probe before its first game, for its author; empty without one."""
    _informed: Callable[[protocol.Info], None] | None = None
    """Receives the reports of its searches."""

    def __init__(
        self,
        player: str,
        carrier: Carrier,
        process: Child | None,
        client: protocol.Client,
        traffic: SessionLog | None = None,
    ) -> None:
        """Speak with `player` over `carrier` in the dialect of `client`; `traffic` logs it.

        `process` is the program of the player, if we started it.
        """
        self.player = player
        self.fault: Fault | None = None
        self.listener: SessionListener | None = None
        self.is_ending = False
        """No more bytes will come; the fault follows within EXIT_GRACE_S."""
        self.line_lost = False
        """Its fault is the end of the connection to a player elsewhere."""
        self.starting_until = 0.0
        """Until this moment, in the loop's seconds, the player may still be starting; 0 after its first bytes."""
        self.was_idle = False
        """It comes from the idle sessions of its endpoint."""
        self.lag: Lag | None = None
        """The lag of its line; None: it is not measured."""
        self.has_played = False
        """Whether it was asked for a move."""
        self.choice = ""
        """The name by which it chooses its player at a shared server; empty: the player has its own process."""
        self.game_options: Mapping[str, str] = {}
        """The options that the game needs, for a player that offers them: `AnyGame.engine_options`."""
        self.reserve_ms = 0
        """Milliseconds that are subtracted from every time that it gets."""
        self._stream = PlayerStream(carrier, client.pause_s, traffic)
        self._inflow = Inflow(self._read, self._work, carrier)
        self._came = 0.0
        """The moment of the bytes that are read now."""
        self._process = process
        self._client = client
        client.reads_info = False
        self._options = OfferedOptions(client)
        self._refusal = ""
        """The last refusal of a request."""
        self._awaited = AwaitedAnswer()
        self._stderr_before = 0
        """Bytes that its program had written on standard error before the last question."""
        self._is_ready = False
        """Whether it has shaken hands."""
        self._answered = Answered()
        self._ready_by = 0.0

    def feed(self, data: bytes) -> None:
        """Receive bytes from the player, which come now."""
        came = time.monotonic()
        self.starting_until = 0.0
        if self._stream.receive(data):
            self._refuse_flood()
        if self.fault is not None:
            return
        listener = self.listener
        move = None if listener is None or self._inflow.waiting else self._client.receive_answer(data)
        if listener is None or move is None:
            self._take(data, came)
        elif move:
            listener.moved(self, move, came)
        elif self._stream.count(data):
            self._refuse_flood()

    def ended(self, why: str) -> None:
        """Receive the end of the stream. It is a crash if the process is gone, too."""
        self.is_ending = True
        if self._inflow.waiting:
            self._inflow.emptied = lambda: self._end(why)
        else:
            self._end(why)

    def _end(self, why: str) -> None:
        process = self._process
        if process is None:
            self.line_lost = self.fault is None
            self._fail(Fault(Termination.DISCONNECT, why + self._last_words))
            return
        wrong = self._last_words
        process.exited.add_done_callback(lambda _: self._fail(Fault(Termination.CRASH, process.exit_message + wrong)))
        loop = asyncio.get_running_loop()
        loop.call_later(
            EXIT_GRACE_S, lambda: self._fail(Fault(Termination.DISCONNECT, why + wrong + self._last_stderr))
        )

    @property
    def waits_since(self) -> float:
        """The moment of its first bytes that wait to be read, in seconds of `time.monotonic`; infinite without any."""
        return self._came if self._inflow.waiting else math.inf

    @property
    def has_unread(self) -> bool:
        """Whether bytes of it have come that this process has not taken yet."""
        return self._stream.carrier.has_unread()

    @property
    def asked_from(self) -> float:
        """The moment, in the loop's seconds, before which the time of a move does not begin.

        A program without a greeting may still be starting, and a line may have to wait.
        """
        return max(self.starting_until, self._stream.free_from)

    @property
    def offers_seed(self) -> bool:
        """Whether the player has a seed."""
        return self._options.has_seed

    @property
    def mistake(self) -> str:
        """Its mistake after the last question, a wrong answer or silence, for the end of a message."""
        client, lines = self._client, self._stream.lines
        wrong = client.mistake.report(client.unfinished, lines)
        silence = client.mistake.silence(received=not self._stream.is_silent, lines=lines)
        return (wrong or silence) + self._last_stderr

    @property
    def wrong_answer(self) -> str:
        """Its output in place of an answer to the last question, for the end of a message; empty if there is none."""
        return self._client.mistake.report(self._client.unfinished)

    @property
    def _last_words(self) -> str:
        """Its output in place of an answer, or that at its beginning, for the end of a message about its end."""
        if not self._is_ready:
            return self.wrong_answer or self._client.mistake.greeting
        return self.wrong_answer if self.owes_move or self._awaited.is_missing else ""

    @property
    def move_line(self) -> str:
        """The answer with its last move in the words of its dialect; empty if those are the game's notation."""
        return self._client.mistake.move_line

    @property
    def _last_stderr(self) -> str:
        """The last line of its program on standard error since the last question, for the end of a message."""
        line = "" if self._process is None else self._process.stderr_since(self._stderr_before)
        return f"; on standard error: {line}" if line else ""

    def take_contradictions(self) -> dict[str, str]:
        """Return, once, the options that were set and contradict themselves."""
        return self._options.take_contradictions()

    def take_stray(self) -> str:
        """Return, once, its first `bestmove` without a question; empty if there was none."""
        return self._client.mistake.take_stray()

    @property
    def owes_move(self) -> bool:
        """Whether a search has not been answered yet."""
        return self._client.owes_move

    @property
    def takes_another_game(self) -> bool:
        """Whether it can be kept for another game."""
        return self.fault is None and not self.owes_move and self._client.takes_another_game

    @property
    def family(self) -> str:
        """The one family of games that it offers to play, as `AnyGame.family`; empty: it has not said so."""
        return self._client.family

    @property
    def lag_credit(self) -> float:
        """The seconds of lag that are subtracted from the time of each of its moves."""
        return 0.0 if self.lag is None else self.lag.credit

    @property
    def last_info(self) -> protocol.Info | None:
        """The last information of the search for its present or last move; None if there was none."""
        return self._client.last_info

    def keep_info(self) -> Callable[[], protocol.Info | None]:
        """Return a function that returns `last_info` as it is now; reading is left to the end of the game."""
        return self._client.keep_info()

    def report_to(self, informed: Callable[[protocol.Info], None] | None) -> None:
        """Pass every report of its searches on; None: only the last one is kept, which costs less."""
        self._informed = informed
        self._client.reads_info = informed is not None

    @property
    def last_score(self) -> int | None:
        """Its last score of the position of the last question, in centipawns for itself; None if there was none."""
        info = self._client.last_info
        if info is None or info.mate is None:
            return None if info is None else info.score_cp
        return MATE if info.mate > 0 else -MATE

    async def shake_hands(self, options: Mapping[str, str]) -> None:
        """Greet the player, set the options, wait until it is ready.

        Raises:
            PlayerLostError: it ended or was cut off.
            OptionError: it does not offer one of the options, or not this value.

        """
        await self._greet()
        if self.choice:
            await self._choose()
        self._options.set_all(self.game_options, options)
        self._client.ping()
        self._ask(protocol.Ready)
        await self._answer()
        self._is_ready = True

    async def _greet(self) -> None:
        self._client.greet()
        self._ask(protocol.Ready)
        await self._answer()

    async def _choose(self) -> None:
        """Choose the player at a shared server, which then offers the options of that player."""
        self._options = OfferedOptions(self._client)
        self._client.configure(CHOICE, self.choice)
        await self._greet()
        if self._refusal:
            raise PlayerLostError(self.player, Fault(Termination.CRASH, self._refusal))

    async def measure(self) -> None:
        """Measure the lag of an idle player, if it counts.

        Raises:
            PlayerLostError: it ended or was cut off.

        """
        for _ in range(PINGS if self.lag is not None else 0):
            self._forget_unread()
            if self.fault is None:
                self._client.ping()
            asked = time.monotonic()
            self._ask(protocol.Ready)
            await self._answer()
            assert self.lag is not None
            self.lag.add(self._awaited.came - asked)

    async def start_position(self) -> str | None:
        """Return its start position in one word; None from a program that cannot report it.

        Raises:
            PlayerLostError: it ended or was cut off.

        """
        self._client.ask_start()
        self._ask(protocol.Start)
        await self._answer()
        return self._answered.start

    async def final_score(self, moves: Sequence[str], seconds: float) -> str | None:
        """Return its score of the game of the last search, after all its moves, in its own words.

        None: it does not know, or it cannot be asked. A player that does not answer within `seconds` is cut off: its
        next game begins in another session.

        Raises:
            PlayerLostError: it ended or was cut off.
            TimeoutError: it did not answer.

        """
        self._answered.score = ""
        if self._inflow.is_paused or self._inflow.waiting:
            self._forget_unread()
        if self.fault is None:
            self._client.ask_score(moves)
        self._ask(protocol.FinalScore)
        try:
            async with asyncio.timeout(seconds):
                await self._answer()
        except TimeoutError:
            self._drop(Fault(Termination.TIME, "did not answer"))
            raise
        return self._answered.score or None

    def announce(self, seed: int, seconds: float) -> None:
        """Announce a new game, for which the player gets ready within `seconds`; `ready` must follow."""
        self._ready_by = asyncio.get_running_loop().time() + seconds
        self._forget_unread()
        if self.fault is None:
            self._options.set_seed(seed)
            self._client.new_game()
        self._ask(protocol.Ready)

    async def ready(self) -> None:
        """Wait until the player is ready for the announced game.

        Raises:
            PlayerLostError: it ended or was cut off.
            TimeoutError: it took too long.

        """
        if self._awaited.is_missing:
            async with asyncio.timeout_at(self._ready_by):
                await self._answer()

    def go(self, moves: Sequence[str], limit: protocol.Limit, start: str = protocol.START) -> None:
        """Ask for the move after `moves` from `start`, in one write; the listener receives it.

        The list may only grow.
        """
        self.has_played = True
        if self._inflow.is_paused or self._inflow.waiting:  # a side may move twice in a row
            self._forget_unread()
        self._client.search(moves, reserved(limit, self.reserve_ms) if self.reserve_ms else limit, start)
        self._mark_stderr()
        self._send()

    async def answers(self, questions: Sequence[str], moves: Sequence[str] | None = None) -> dict[str, str]:
        """Return its answers to questions, about the position after `moves` if they are given.

        A question that it does not answer is missing. The list may only grow, as that of `go`.

        Raises:
            PlayerLostError: it ended or was cut off.

        """
        if self._inflow.is_paused:
            self._forget_unread()
        self._answered.texts = {}
        if self.fault is None and moves is not None:
            self._client.place(moves)
        for what in questions:  # one after the other: an answer does not name its question
            if self.fault is None:
                self._client.query(what)
            self._ask(protocol.Ready)
            await self._answer()
        return self._answered.texts

    async def capabilities(self) -> frozenset[str]:
        """Return the questions beyond the published ones that it answers, asked once; raises as `answers`."""
        if self._answered.capabilities is None:
            answers = await self.answers([CAPABILITIES])
            self._answered.capabilities = frozenset(answers.get(CAPABILITIES, "").split())
        return self._answered.capabilities

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
            self._drop(Fault(Termination.TIME, "did not stop"))
        except PlayerLostError:
            return

    def cut_off(self, fault: Fault) -> None:
        """Cut the connection because of `fault`."""
        self._drop(fault)

    async def close(self) -> None:
        """Quit and close the connection; a player that has failed gets no grace."""
        if self.fault is None:
            self._client.quit()
            self._send()
            await self._stream.sent()
        else:
            self._stream.carrier.abort()
        await self._stream.carrier.close()
        self.end_log()

    def end_log(self) -> None:
        """End its part of the traffic log."""
        self._stream.end_log()

    @property
    def _owes_answer(self) -> bool:
        return self._client.owes_move or self._awaited.is_missing

    def _take(self, data: bytes, came: float) -> None:
        """Read bytes; most of those that nobody waits for are dropped."""
        if self._stream.count(data):
            self._refuse_flood()
            return
        if self._stream.is_chatty and not self._owes_answer:
            data = last_lines(data)
            self._inflow.rest()
        if not self._inflow.waiting:
            self._came = came
        self._inflow.add(data)

    def _forget_unread(self) -> None:
        """Drop the bytes that wait: they cannot answer the next question. The next line may have begun among them."""
        if waiting := self._inflow.clear():
            self._client.receive_data(waiting[max(0, waiting.rfind(b"\n")) :])
            drained(self._client)

    def _read(self, data: bytes) -> None:
        if self.fault is None:
            self._client.receive_data(data)
            self._receive()
            self._send_next()
            if self._inflow.waiting and not self._owes_answer:
                self._inflow.shorten(last_lines)

    def _work(self, seconds: float) -> None:
        if self._stream.works(seconds):
            self._refuse_flood()

    def _refuse_flood(self) -> None:
        self._drop(Fault(Termination.DISCONNECT, self._stream.excess(asked=self._owes_answer)))

    def _receive(self) -> None:
        # read everything before acting on it: none of it can answer the next question
        for event in drained(self._client):
            if type(event) is protocol.Move and self.listener is not None:
                self.listener.moved(self, event.move, self._came)
            elif type(event) is protocol.Info and self._informed is not None:
                self._informed(event)
            elif type(event) is protocol.Offer:
                self._options.add(event.option)
            elif type(event) is protocol.Start:
                self._answered.start = event.position
            elif type(event) is protocol.FinalScore:
                self._answered.score = event.text or ""
            elif type(event) is protocol.Response:
                self._answered.texts[event.query] = event.text
            elif type(event) is protocol.Refusal and not event.final:
                self._refusal = event.why
            elif type(event) is protocol.Refusal and self._awaited.kind is protocol.Ready:
                self._drop(Fault(Termination.DISCONNECT, f"refused to begin{self.wrong_answer}"))
                return
            self._awaited.receive(type(event), self._came)

    def _ask(self, kind: type[object]) -> None:
        """Send all pending data; an event of this kind will be the answer."""
        self._awaited.expect(kind)
        self._mark_stderr()
        if self.fault is None:
            self._send()
            self._receive()  # a question that the dialect cannot ask has its answer already
        if self._awaited.kind is protocol.Ready and self._client.grace_s:
            self._awaited.assume_after(self._client.grace_s, self._assume_answer)

    async def _answer(self) -> None:
        """Wait for the answer to the last question, if it has not come yet; raises PlayerLostError."""
        try:
            if self._awaited.is_missing and self.fault is None:
                await self._awaited.wait()
            if self._awaited.is_missing and self.fault is not None:
                raise PlayerLostError(self.player, self.fault)
        finally:
            self._awaited.forget()

    def _mark_stderr(self) -> None:
        """Begin a question: earlier lines on standard error do not explain its answer."""
        if self._process is not None:
            self._stderr_before = self._process.stderr_bytes

    def _send_next(self) -> None:
        """Send the next request of the dialect, if an answer leads to one."""
        if self.fault is None:
            self._send()

    def _send(self) -> None:
        self._stream.write(self._client.data_to_send())

    def _assume_answer(self) -> None:
        """Go without an answer that some programs never send."""
        if self._awaited.kind is protocol.Ready and self.fault is None:
            self._client.assume_answer()
            self._receive()
            self._send_next()

    def _drop(self, fault: Fault) -> None:
        self._fail(fault)
        self._stream.carrier.abort()

    def _fail(self, fault: Fault) -> None:
        """Record the first fault, wake the waiter and report it to the listener."""
        if self.fault is not None:
            return
        self.fault = fault
        self._inflow.clear()
        self._awaited.wake()
        if self.listener is not None:
            self.listener.lost(self, fault)
