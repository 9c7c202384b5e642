"""Who a person plays against: a player in this process, or an engine behind a port."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

import protocol
from engine.address import Address, reason
from engine.answers import info_of
from engine.bridge import CHUNK, connected
from engine.thinking import think
from games import UsageError, WorkError
from native import IllegalMoveError, Limits, Position
from players import Player
from protocol import Info, Limit, UgiClient

HELLO_SECONDS = 10.0
"""For an engine to say who it is."""
ANSWER_SECONDS = 60.0
"""For its move, beyond the time that it was given."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What an opponent plays, and what it thinks about it."""

    move: int
    info: Info


def shown(text: str) -> str:
    """Return a peer's text for a terminal: characters that would steer it appear as escapes."""
    return "".join(one if one.isprintable() else repr(one)[1:-1] for one in text)


class Opponent(Protocol):
    """The other side of the board."""

    @property
    def title(self) -> str:
        """Who it is."""

    def answer(self, position: Position, start: Position, moves: Sequence[str]) -> Answer:
        """Return its move in the running `position`, which `moves` led to from `start`."""

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

    def close(self) -> None:
        """Give the player back."""
        self._player.close()


class RemoteOpponent:
    """An engine behind a port, over UGI. Raises WorkError when it goes away or breaks the rules."""

    def __init__(self, address: Address, game: str, seconds: float) -> None:
        """Connect; raises UsageError when it is one of our own servers and plays another game than `game`."""
        self._address = address
        self._limit = Limit(movetime_ms=max(1, round(1000 * seconds)))
        self._ugi = UgiClient()
        self._link = connected(address)
        self._link.settimeout(HELLO_SECONDS)
        self.title = str(address)
        self._greet()
        if protocol.is_ours(self.title):  # who else need not know the query
            self._compare(Position(game))
        self._link.settimeout(seconds + ANSWER_SECONDS)

    def answer(self, position: Position, start: Position, moves: Sequence[str]) -> Answer:
        """Ask for the move."""
        self._ugi.send_position("startpos" if start == Position(start.game) else str(start), moves)
        self._ugi.send_go(self._limit)
        info = Info()
        for event in self._events():
            if isinstance(event, protocol.InfoLine):
                info = event.info
            elif isinstance(event, protocol.InfoString) and event.error:
                raise WorkError(f"{self._address} refused: {shown(event.error)}")
            elif isinstance(event, protocol.BestMove):
                return Answer(self._legal(position, event.move), info)
        raise WorkError(f"{self._address} closed the connection")

    def close(self) -> None:
        """Say goodbye."""
        self._ugi.send_quit()
        try:
            self._link.sendall(self._ugi.data_to_send())
        except OSError:  # it has gone before us
            pass
        finally:
            self._link.close()

    def _greet(self) -> None:
        self._ugi.send_ugi()
        for event in self._events():
            if isinstance(event, protocol.EngineId) and event.field == "name":
                self.title = shown(event.text)
            elif isinstance(event, protocol.UgiOk):
                return
            elif isinstance(event, protocol.InfoString) and event.error:
                raise WorkError(f"{self._address} refused: {shown(event.error)}")
        raise WorkError(f"{self._address} closed the connection")

    def _compare(self, start: Position) -> None:
        self._ugi.send_query("position")
        for event in self._events():
            if isinstance(event, protocol.Response):
                if event.text != str(start):
                    self.close()
                    raise UsageError(f"{self._address} plays another game than {start.game}: {shown(event.text)}")
                return
        raise WorkError(f"{self._address} closed the connection")

    def _events(self) -> Iterator[protocol.ClientEvent]:
        """Send what there is to say, then yield what comes until the engine ends the conversation."""
        try:
            self._link.sendall(self._ugi.data_to_send())
            while data := self._link.recv(CHUNK):
                yield from self._ugi.receive_data(data)
        except TimeoutError:
            raise WorkError(f"{self._address} does not answer") from None
        except OSError as error:
            raise WorkError(f"{self._address}: {reason(error)}") from None

    def _legal(self, position: Position, move: str | None) -> int:
        try:
            return position.parse_move(move or "none")
        except IllegalMoveError as error:
            raise WorkError(f"{self._address} broke the rules: {shown(str(error))}") from None
