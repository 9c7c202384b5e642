"""One session with the engine, in the requests of its dialect."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Sequence
from contextlib import suppress

from fiedler.engine.check import diagnosis, spelling
from fiedler.engine.check.failure import StepError
from fiedler.engine.check.portions import Portions
from fiedler.engine.check.subject import Subject
from fiedler.engine.check.wire import send
from fiedler.games.errors import IllegalMoveError
from fiedler.protocol import RESIGN, ClientEvent, Limit, Malformed, Move, Offer, Ready, Refusal, Response
from fiedler.protocol.blocking import answers
from fiedler.protocol.mistake import quoted_line
from fiedler.support.errors import printable

KEPT = 1000
"""Lines that broke the rules that are kept."""
UNANSWERED_GRACE_S = 0.3
"""The grace for the answer to the start of a game, if this engine has left one out."""
AFTER_REFUSAL_SECONDS = 1.0
"""The time for an answer after a refusal: usually none comes."""


class Peer:
    """A conversation. Every method raises StepError if the answer is wrong, late or missing."""

    def __init__(self, subject: Subject) -> None:
        self._subject = subject
        self.client = subject.dialect.client(subject.coordinates)
        self.offers: list[Offer] = []
        self.malformed: deque[Malformed] = deque(maxlen=KEPT)
        """The last lines that broke the rules."""
        self.assumed_answer = False
        """Whether an answer to the start of a game was left out, as some dialects allow."""
        self._hello = ""
        """The request that begins a game, in the words of the dialect."""
        self._is_over = False
        """Whether the engine has ended, or has refused to begin."""
        self._response: str | None = None
        """The answer to the last question about a position."""
        self._refused = ""
        """The refusal of the last request, for a message."""
        self.link = subject.link()

    def greet(self) -> None:
        """Begin the conversation."""
        self.client.greet()
        self._hello = self.client.mistake.asked
        self._take_start(self._subject.startup)

    def new_game(self) -> None:
        """Begin another game."""
        self._pause()
        self.client.new_game()
        self._take_start(self._subject.timeout)

    def ping(self) -> None:
        """Ask for a sign of life."""
        self.client.ping()
        self._take_start(self._subject.timeout)

    def ask(self, question: str, moves: Sequence[str]) -> str | None:
        """Return the answer to a question about the position after `moves`; None if the engine gives none."""
        self._pause()
        self._response = None
        self.client.place(moves)
        self.client.query(question)
        self.take(Ready, self._subject.timeout)
        return self._response

    def begin(self, moves: Sequence[str], limit: Limit) -> None:
        """Ask for a move, without waiting for it."""
        self._pause()
        self.client.search(moves, limit)
        self._send()

    def finish(self, moves: Sequence[str], limit: Limit) -> str:
        """Wait for the move after `moves`; return it if it is legal, or RESIGN."""
        spare = max(limit.movetime_ms or 0, limit.p1time_ms or 0) / 1000
        found = self.take(Move, self._subject.timeout + spare)
        assert isinstance(found, Move)
        return self._legal(moves, found.move)

    def move(self, moves: Sequence[str], limit: Limit) -> str:
        """Return the move after `moves`."""
        self.begin(moves, limit)
        return self.finish(moves, limit)

    def close(self) -> None:
        """End the conversation."""
        self.client.quit()
        with suppress(OSError, ValueError):
            self.link.send(self.client.data_to_send())
        self.link.close()

    def take(self, kind: type[ClientEvent], seconds: float, *, searches_cause: bool = True) -> ClientEvent:
        """Return the answer of this kind, which comes within `seconds`.

        If it does not come, its cause ends the session, unless not `searches_cause`.
        """
        self._portions, self._refused = Portions(self.link, seconds), ""
        try:
            for event in answers(self.client, kind, self.link.send, self._received):
                if isinstance(event, kind):
                    return event
                if isinstance(event, Refusal) and event.final:
                    self._is_over = True
                    raise StepError(f"refused to begin{self._wrong()}")
                self._keep(event)
        except TimeoutError:
            raise self._late(kind, seconds, searches_cause=searches_cause) from None
        except OSError:
            pass
        self._is_over = True
        raise StepError(self.link.end() + self._refused + self._wrong())

    def _take_start(self, seconds: float) -> None:
        """Wait for an answer before a game; the manager assumes it after the grace of a dialect."""
        if not (grace := self.client.grace_s):
            self.take(Ready, seconds)
            return
        grace = UNANSWERED_GRACE_S if self._subject.leaves_unanswered else min(grace, seconds)
        try:
            self.take(Ready, grace, searches_cause=False)
        except StepError:
            if self._is_over:
                raise
            self._assume(is_start=self.client.mistake.asked == self._hello)
            self.take(Ready, seconds)

    def _assume(self, *, is_start: bool) -> None:
        """Take the last answer as given: that to the start of a game, or to the barrier after it."""
        self._subject.leaves_unanswered = True
        if is_start:
            self.assumed_answer = self._subject.leaves_start_unanswered = True
        self.client.assume_answer()

    def _pause(self) -> None:
        """Wait as long as a dialect does between an answer and the next command."""
        time.sleep(self.client.pause_s)

    def _keep(self, event: ClientEvent) -> None:
        if isinstance(event, Offer):
            self.offers.append(event)
        elif isinstance(event, Response):
            self._response = event.text
        elif isinstance(event, Malformed):
            self.malformed.append(event)
        elif isinstance(event, Refusal):
            if not self._refused:  # the first one is the cause of the others
                self._refused = f"; refused: {printable(event.why)}"
            self._portions.until = min(self._portions.until, time.monotonic() + AFTER_REFUSAL_SECONDS)

    def _send(self) -> None:
        send(self.link, self.client.data_to_send())

    def _received(self) -> bytes:
        try:
            return self._portions.next()
        except StepError as error:
            raise StepError(error.got + self._wrong(), explained=True) from None

    @property
    def wrong(self) -> str:
        """The refusal of the last request, or the output in place of its answer, for the end of a message."""
        return self._refused or self._wrong()

    def _wrong(self) -> str:
        return self.client.mistake.report(self.client.unfinished)

    def _late(self, kind: type[ClientEvent], seconds: float, *, searches_cause: bool) -> StepError:
        """Return the error for an answer that does not come in time."""
        words = self.link.complaint()
        stderr = f"; on standard error: {words}" if words else ""
        got, mistake, flood = f"nothing within {seconds:g} s", self.client.mistake, self._portions.flood
        if wrong := self._refused or mistake.report(self.client.unfinished, flood.all_lines):
            return StepError(got + wrong + stderr, explained=bool(self.client.unfinished or mistake.unended))
        cause = diagnosis.silence(self._subject, self.link, self.client, kind) if searches_cause else ""
        question = mistake.silence(received=flood.received > 0 or bool(cause), lines=flood.all_lines)
        return StepError(got + question + cause + stderr, explained=bool(cause))

    def _legal(self, moves: Sequence[str], move: str | None) -> str:
        """Return the move if it is legal after `moves`."""
        position = self._subject.game.position(moves=moves)
        expected = spelling.expected(self._subject, moves)
        if move is None:
            raise StepError(f"no move{self._wrong()}", expected)
        try:
            if move != RESIGN:
                position.parse_move(move)
        except IllegalMoveError:
            sent = quoted_line(self.client.mistake.move_line or move)
            raise StepError(f"{sent}{spelling.hint(self._subject, moves, move)}", expected) from None
        return move
