"""The steps that are alike in all dialects."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass

from fiedler.engine.check import positions, spelling
from fiedler.engine.check.failure import StepError
from fiedler.engine.check.peer import Peer
from fiedler.engine.check.sessions import Sessions
from fiedler.engine.check.talk import Talk
from fiedler.engine.check.wire import send
from fiedler.protocol import RESIGN, Limit

END_SECONDS = 5.0
"""The time for a program to end after its last line, or a server to close a connection."""
MARGIN_MS = 100
"""What a move may take beyond its limit. The manager's `margin_ms` is smaller; machines differ."""
ATTEMPTS = 5
"""Searches of which one must keep its limit: on a busy machine not every one can."""
LATE_SECONDS = 1.0
"""The time for the move after `stop`."""
SEARCH_SECONDS = 0.2
"""The time of a search before it is stopped or cut off."""
TOGETHER = 3
"""Sessions at a time."""
ROUNDS = 3
"""Moves of the engine in each of them."""
SECOND = Limit(movetime_ms=1000)


@dataclass(frozen=True, slots=True)
class CheckStep:
    """One question to the engine."""

    name: str
    expected: str
    run: Callable[[Sessions], str]
    """Returns in a few words what came.

    Raises:
        StepError: Something else than `expected` came.
        SkippedError: The question cannot be asked.
    """
    is_foundation: bool = False
    """Whether no later step can pass without it."""
    loses_games: bool = True
    """Whether a game of a tournament can be lost by its failure, which is a remark otherwise."""


def handshake(sessions: Sessions) -> str:
    """Greet the engine."""
    started = time.monotonic()
    sessions.peer().ping()
    return f"after {time.monotonic() - started:.1f} s"


def new_game(sessions: Sessions) -> str:
    """Begin two games, one after the other."""
    for _ in range(2):
        sessions.peer().new_game()
    return "ready"


def keeps_time(*limits: Limit) -> Callable[[Sessions], str]:
    """Return a step that searches with these limits."""

    def run(sessions: Sessions) -> str:
        return ", ".join(_timed(sessions, limit) for limit in limits)

    return run


def _timed(sessions: Sessions, limit: Limit) -> str:
    """Search until one attempt keeps the limit."""
    moves = positions.opening(sessions.subject.game, 2)
    allowed = limit.movetime_ms or limit.p1time_ms or 0
    best = float("inf")
    for _ in range(ATTEMPTS):
        peer = sessions.peer()
        peer.new_game()
        started = time.monotonic()
        peer.move(moves, limit)
        best = min(best, 1000 * (time.monotonic() - started))
        if best <= allowed + MARGIN_MS:
            return f"{best:.0f} ms of {allowed}"
    raise StepError(f"the fastest of {ATTEMPTS} took {best:.0f} ms", f"a move within {allowed} ms + {MARGIN_MS} ms")


def bad_input(data: Callable[[Talk], bytes]) -> Callable[[Sessions], str]:
    """Return a step that sends bad input: it is refused, and the position stays.

    Its session ends: an engine that took a wrong position without a word would fail at the next input.
    """

    def run(sessions: Sessions) -> str:
        talk = sessions.talk()
        sent = data(talk)
        try:
            answer = talk.provoke(sent)
            talk.proceed()
        except StepError as error:
            raise _after(sent, error) from None
        sessions.drop()
        return f"after {spelling.shown(sent)}: {answer}"

    return run


def _after(sent: bytes, error: StepError) -> StepError:
    """Return the error with the line that was sent."""
    shown = spelling.shown(sent)
    got = error.got if f"answer to {shown}" in error.got else f"after {shown}: {error.got}"
    return StepError(got, error.expected, explained=error.explained)


def half_a_line(sessions: Sessions) -> str:
    """Send the request for a move in two portions."""
    sessions.talk().proceed(halved=True)
    return "one answer"


def several_sessions(sessions: Sessions) -> str:
    """Play several games at a time, each in a session."""
    sessions.drop()
    with ExitStack() as stack:
        games = [_Game(sessions, _opened(sessions, stack), number) for number in range(TOGETHER)]
        for _ in range(ROUNDS):
            running = [game for game in games if game.is_running]
            for game in running:
                game.ask()
            for game in running:
                game.take()
    return f"{TOGETHER} at a time"


def _opened(sessions: Sessions, stack: ExitStack) -> Peer:
    """Return another session, which the stack closes."""
    peer = sessions.open()
    stack.callback(peer.close)
    return peer


class _Game:
    """A game of one of several sessions, which moves for both sides."""

    def __init__(self, sessions: Sessions, peer: Peer, number: int) -> None:
        subject = sessions.subject
        self._game, self._peer = subject.game, peer
        self._rng = random.Random(number)
        self._moves = positions.opening(subject.game, 3 * number) if subject.dialect.openings else []
        self._limit = Limit(movetime_ms=1000 if subject.dialect_name == "gtp" else 50)
        peer.new_game()

    @property
    def is_running(self) -> bool:
        return self._game.position(moves=self._moves).result is None

    def ask(self) -> None:
        self._peer.begin(self._moves, self._limit)

    def take(self) -> None:
        move = self._peer.finish(self._moves, self._limit)
        if move != RESIGN:
            self._moves.append(move)
        if self.is_running:  # the opponent's move
            self._moves.append(self._rng.choice(positions.legal(self._game.position(moves=self._moves))))


def quits(sessions: Sessions) -> str:
    """End a session."""
    peer = sessions.give()
    try:
        started = time.monotonic()
        peer.client.quit()
        send(peer.link, peer.client.data_to_send())
        if not peer.link.ends_within(END_SECONDS):
            raise StepError(f"it still runs {END_SECONDS:g} s later")
        return f"after {time.monotonic() - started:.1f} s"
    finally:
        peer.close()


def abrupt_close(sessions: Sessions) -> str:
    """Cut a session off during a search, in the middle of a line; a program ends, a server plays on."""
    peer = cut_off(sessions)
    try:
        if sessions.subject.is_program:
            if not peer.link.ends_within(END_SECONDS):
                raise StepError(f"it still runs {END_SECONDS:g} s later", "the program ends")
            return "it ended"
    finally:
        peer.close()
    time.sleep(SEARCH_SECONDS)  # a server that ends with its session has ended by then
    other = sessions.peer()
    other.new_game()
    other.move([], SECOND)
    return "it plays in another session"


def cut_off(sessions: Sessions) -> Peer:
    """Begin a search and half a line, then close the connection; return what is left of the session."""
    peer = sessions.give()
    try:
        peer.new_game()
        peer.begin([], SECOND)
        time.sleep(SEARCH_SECONDS)
        peer.link.send(b"hal")
        peer.link.hang_up()
    except OSError:
        why = peer.link.end()
        peer.close()
        raise StepError(why) from None
    except BaseException:
        peer.close()
        raise
    return peer
