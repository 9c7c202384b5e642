"""The opponent of a person: a player in this process, or an engine behind a port or on its pipes."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol

from engine.answers import info_of
from engine.link import Link
from engine.thinking import think
from games import GAMES
from games.coordinates import coordinates
from games.spelling import meant
from native import IllegalMoveError, Limits, Position
from players import Player
from protocol import DEFAULT, DIALECTS, START, ClientEvent, Identity, Info, Limit, Move, Ready, Refusal, Start
from protocol.blocking import answers
from protocol.flood import FLOODED, Flood
from support.address import reason
from support.errors import UsageError, WorkError, printable

HELLO_SECONDS = 10.0
"""The time for an engine to introduce itself."""
ANSWER_SECONDS = 60.0
"""The time for its move, beyond the time of the search."""
RESIGN = "resign"
"""The word of an engine in place of a move."""


@dataclass(frozen=True, slots=True)
class Reply:
    """The move of an opponent, and the report of its search."""

    move: int | None
    """None: it resigns."""
    info: Info


class Opponent(Protocol):
    """The other side of the board."""

    @property
    def title(self) -> str:
        """Its name."""

    def answer(self, position: Position, start: Position, moves: Sequence[str]) -> Reply:
        """Return its move for the side to move in the running `position`, after `moves` from `start`."""

    def new_game(self) -> None:
        """Forget the game: another one follows."""

    def close(self) -> None:
        """End the conversation."""


class LocalOpponent:
    """A player in this process."""

    def __init__(self, player: Player, seconds: float) -> None:
        self._player = player
        self._limits = Limits(seconds=seconds)

    @property
    def title(self) -> str:
        """Its name."""
        return self._player.title

    def answer(self, position: Position, start: Position, moves: Sequence[str]) -> Reply:  # noqa: ARG002
        """Search for the move."""
        found = think(self._player, position, self._limits)
        assert found.best is not None
        return Reply(found.best, info_of(position, found))

    def new_game(self) -> None:
        """Let the player forget its tree."""
        self._player.new_game()

    def close(self) -> None:
        """Give the player back."""
        self._player.close()


class RemoteOpponent:
    """An engine over a link, which is opened anew after each failure.

    Raises:
        WorkError: By `answer` and `new_game`, if the engine goes away or breaks the rules.
    """

    def __init__(self, reach: Callable[[], Link], game: str, seconds: float, dialect: str = DEFAULT) -> None:
        """Greet it. `reach` opens the link, again after each failure.

        Raises:
            UsageError: It is one of our own servers, and plays another game than `game`.
        """
        self._reach = reach
        self._dialect = DIALECTS[dialect]
        self._game = game
        self._seconds = seconds
        self._limit = Limit(movetime_ms=max(1, round(1000 * seconds)))
        self.title = ""
        self._link: Link | None = None
        self._connect()

    def answer(self, position: Position, start: Position, moves: Sequence[str]) -> Reply:
        """Request the move."""
        with self._parting():
            self._connect()
            self._client.search(moves, self._limit, START if start == Position(start.game) else str(start))
            return self._found(position)

    def new_game(self) -> None:
        """Announce another game before the next position."""
        if self._link is not None:
            self._client.new_game()

    def close(self) -> None:
        """Send `quit` and close the link."""
        link, self._link = self._link, None
        if link is None:
            return
        self._client.quit()
        try:
            link.send(self._client.data_to_send())
        except OSError:  # it has gone before us
            pass
        finally:
            link.close()

    @contextmanager
    def _parting(self) -> Iterator[None]:
        """Close the link to an engine that has failed."""
        try:
            yield
        except BaseException:
            self.close()
            raise

    def _connect(self) -> None:
        """Reach and greet it, if that has not been done."""
        if self._link is not None:
            return
        link = self._link = self._reach()
        self._client = self._dialect.client(coordinates(GAMES[self._game], self._dialect.coordinates))
        self._name = self.title = printable(link.name)
        with self._parting():
            self._greet()
            self._compare(Position(self._game))

    def _greet(self) -> None:
        self._client.greet()
        for event in self._events(Ready, HELLO_SECONDS):
            if isinstance(event, Identity) and event.field == "name":
                self.title = printable(event.text)

    def _compare(self, start: Position) -> None:
        self._client.ask_start()
        for event in self._events(Start, HELLO_SECONDS):
            if isinstance(event, Start) and event.position is not None and event.position != str(start):
                raise UsageError(f"{self._name} plays another game than {start.game}: {printable(event.position)}")

    def _found(self, position: Position) -> Reply:
        """Return the answer to `search`."""
        info, move = Info(), None
        for event in self._events(Move, self._seconds + ANSWER_SECONDS):
            if isinstance(event, Info):
                info = event
            elif isinstance(event, Move):
                move = event.move
        return Reply(None if move == RESIGN else self._legal(position, move), info)

    def _events(self, kind: type[ClientEvent], seconds: float) -> Iterator[ClientEvent]:
        """Send the pending bytes, then yield the events up to the answer of this `kind`, within `seconds`."""
        deadline = time.monotonic() + seconds
        self._flood = Flood()
        try:
            for event in answers(self._client, kind, self._opened.send, lambda: self._received(deadline)):
                if isinstance(event, Refusal) and event.why:
                    raise WorkError(f"{self._name} refused: {printable(event.why)}")
                yield event
                if isinstance(event, kind):
                    return
        except TimeoutError:
            silence = self._client.mistake.silence(received=self._flood.received > 0)
            hint = f"{self._wrong_answer() or silence}{self._complaint()}"
            raise WorkError(f"{self._name} had not answered after {seconds:g} s{hint}") from None
        except OSError as error:
            raise WorkError(f"{self._name}: {reason(error)}") from None
        raise WorkError(f"{self._name} {printable(self._opened.end())}{self._wrong_answer()}")

    def _received(self, deadline: float) -> bytes:
        """Return the next bytes, none at the end of the conversation.

        Raises:
            TimeoutError: The deadline has passed.
            WorkError: The engine sends too much.
        """
        data = self._opened.receive(max(0.0, deadline - time.monotonic()))
        if self._flood.rises(len(data), time.monotonic):
            raise WorkError(f"{self._name} {FLOODED}{self._wrong_answer()}")
        return data

    @property
    def _opened(self) -> Link:
        assert self._link is not None
        return self._link

    def _wrong_answer(self) -> str:
        """Return its output in place of an answer, for the end of a message."""
        return self._client.mistake.report(self._client.unfinished)

    def _complaint(self) -> str:
        words = self._opened.complaint()
        return f"; on standard error: {words}" if words else ""

    def _legal(self, position: Position, move: str | None) -> int:
        if move is None:
            raise WorkError(f"{self._name} sent no move, but legal moves exist{self._wrong_answer()}")
        try:
            return position.parse_move(move)
        except IllegalMoveError as error:
            hint = meant(position, move)
            spelled = f"; did you mean {hint!r}?" if hint else ""
            raise WorkError(f"{self._name} broke the rules: {printable(str(error))}{spelled}") from None
