"""Who a person plays against: a player in this process, or an engine behind a port or on its pipes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import protocol
from engine.address import reason
from engine.answers import info_of
from engine.link import Link
from engine.thinking import think
from games import UsageError, WorkError
from games.errors import printable
from native import IllegalMoveError, Limits, Position
from players import Player
from protocol import Info, Limit, UgiClient

HELLO_SECONDS = 10.0
"""For an engine to say who it is."""
ANSWER_SECONDS = 60.0
"""For its move, beyond the time that it was given."""
RESIGN = "resign"
"""What an engine says in place of a move."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What an opponent plays, and what it thinks about it."""

    move: int | None
    """None: it resigns."""
    info: Info


class Opponent(Protocol):
    """The other side of the board."""

    @property
    def title(self) -> str:
        """Who it is."""

    def answer(self, position: Position, start: Position, moves: Sequence[str]) -> Answer:
        """Return its move in the running `position`, whoever is to move, which `moves` led to from `start`."""

    def new_game(self) -> None:
        """Forget the game: what follows is another one."""

    def close(self) -> None:
        """Say goodbye."""


class LocalOpponent:
    """A player in this process."""

    def __init__(self, player: Player, seconds: float) -> None:
        self._player = player
        self._limits = Limits(seconds=seconds)

    @property
    def title(self) -> str:
        """Who it is."""
        return self._player.title

    def answer(self, position: Position, start: Position, moves: Sequence[str]) -> Answer:  # noqa: ARG002
        """Search for the move."""
        found = think(self._player, position, self._limits)
        assert found.best is not None
        return Answer(found.best, info_of(position, found))

    def new_game(self) -> None:
        """Let the player forget its tree."""
        self._player.new_game()

    def close(self) -> None:
        """Give the player back."""
        self._player.close()


class RemoteOpponent:
    """An engine that speaks UGI. Raises WorkError when it goes away or breaks the rules."""

    def __init__(self, link: Link, game: str, seconds: float) -> None:
        """Greet it; raises UsageError when it is one of our own servers and plays another game than `game`."""
        self._link = link
        self._limit = Limit(movetime_ms=max(1, round(1000 * seconds)))
        self._ugi = UgiClient()
        self._patience = HELLO_SECONDS
        self._mistake = ""
        self.title = printable(link.name)
        try:
            self._greet()
            if protocol.is_ours(self.title):  # who else need not know the query
                self._compare(Position(game))
        except BaseException:
            self.close()
            raise
        self._patience = seconds + ANSWER_SECONDS

    def answer(self, position: Position, start: Position, moves: Sequence[str]) -> Answer:
        """Ask for the move."""
        self._ugi.send_position("startpos" if start == Position(start.game) else str(start), moves)
        self._ugi.send_go(self._limit)
        info = Info()
        for event in self._events():
            if isinstance(event, protocol.InfoLine):
                info = event.info
            elif isinstance(event, protocol.BestMove):
                return Answer(None if event.move == RESIGN else self._legal(position, event.move), info)
        raise self._gone()

    def new_game(self) -> None:
        """Tell it before the next position."""
        self._ugi.send_newgame()

    def close(self) -> None:
        """Say goodbye."""
        self._ugi.send_quit()
        try:
            self._link.send(self._ugi.data_to_send())
        except OSError:  # it has gone before us
            pass
        finally:
            self._link.close()

    def _greet(self) -> None:
        self._ugi.send_ugi()
        for event in self._events():
            if isinstance(event, protocol.EngineId) and event.field == "name":
                self.title = printable(event.text)
            elif isinstance(event, protocol.UgiOk):
                return
        raise self._gone()

    def _compare(self, start: Position) -> None:
        self._ugi.send_query("position")
        for event in self._events():
            if isinstance(event, protocol.Response):
                if event.text != str(start):
                    raise UsageError(f"{self._name} plays another game than {start.game}: {printable(event.text)}")
                return
        raise self._gone()

    def _events(self) -> Iterator[protocol.ClientEvent]:
        """Send what there is to say, then yield what comes until the engine ends the conversation."""
        self._mistake = ""
        try:
            self._link.send(self._ugi.data_to_send())
            while data := self._link.receive(self._patience):
                for event in self._ugi.receive_data(data):
                    self._note(event)
                    yield event
        except TimeoutError:
            raise WorkError(f"{self._name} does not answer{self._mistake}") from None
        except OSError as error:
            raise WorkError(f"{self._name}: {reason(error)}") from None

    def _note(self, event: protocol.ClientEvent) -> None:
        """Keep what is no answer, for the case that none comes; raises WorkError for a refusal."""
        if isinstance(event, protocol.InfoString) and event.error:
            raise WorkError(f"{self._name} refused: {printable(event.error)}")
        if isinstance(event, protocol.Malformed):
            self._mistake = f"; it said {event.line!r}: {event.why}"

    def _gone(self) -> WorkError:
        return WorkError(f"{self._name} {printable(self._link.end())}{self._mistake}")

    @property
    def _name(self) -> str:
        return printable(self._link.name)

    def _legal(self, position: Position, move: str | None) -> int:
        try:
            return position.parse_move(move or "none")
        except IllegalMoveError as error:
            raise WorkError(f"{self._name} broke the rules: {printable(str(error))}") from None
