"""The opponent of a person: a player in this process, or an engine behind a port or on its pipes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import partial
from typing import Protocol

from fiedler.client import open_engine
from fiedler.engine.host.answers import info_of
from fiedler.engine.host.thinking import think
from fiedler.engine.person.record import position_argument
from fiedler.engine.port.port_access import PortAccess
from fiedler.games.position import Position
from fiedler.native import Limits
from fiedler.players import Player
from fiedler.protocol import DEFAULT, Info
from fiedler.support.errors import UsageError, WorkError


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
    """An engine behind a port or on the pipes of a program, which is opened anew after each failure.

    Raises:
        WorkError: By `answer`, if the engine goes away or breaks the rules.
    """

    def __init__(
        self,
        engine: Sequence[str] | str,
        game: str,
        seconds: float,
        dialect: str = DEFAULT,
        access: PortAccess = PortAccess(),
    ) -> None:
        """Open it: the words of a command, or HOST:PORT, with a token or TLS by `access`.

        Raises:
            UsageError: The program does not exist, or the engine plays another game than `game`.
            WorkError: The engine cannot be reached or fails.
        """
        self._open = partial(open_engine, engine, game, protocol=dialect, **asdict(access))
        self._seconds = seconds
        self._engine = self._open()
        self._announces = False
        """Whether another game begins."""

    @property
    def title(self) -> str:
        """The engine's name."""
        return self._engine.name

    def answer(self, position: Position, start: Position, moves: Sequence[str]) -> Reply:
        """Request the move."""
        if not self._engine.is_open:
            self.close()
            self._engine = self._open()
        elif self._announces:
            self._engine.new_game()
        self._announces = False
        try:
            found = self._engine.play(position_argument(start, moves), self._seconds)
        except UsageError as error:  # the dialect cannot express the position
            raise WorkError(str(error)) from None
        return Reply(None if found.move is None else position.parse_move(found.move), found.info)

    def new_game(self) -> None:
        """Announce another game before the next position."""
        self._announces = True

    def close(self) -> None:
        """Send `quit` and close the engine."""
        self._engine.close()
