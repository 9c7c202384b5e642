"""The requests of a dialect to the player that it fronts."""

from collections.abc import Callable, Sequence
from typing import Protocol

from protocol.info import Info
from protocol.limit import Limit
from protocol.option import Option

OUR_NAME = "Fiedler"
"""The first word of the name of this project's engines."""


def is_ours(name: str) -> bool:
    """Tell by its name whether an engine is of this project."""
    return name.startswith(f"{OUR_NAME} ")


class Standing(Protocol):
    """How a game stands. It does not change. Moves are in the notation of the game."""

    @property
    def moves(self) -> tuple[str, ...]:
        """The moves that led here, from `startpos` or the position that was set."""

    @property
    def side_to_move(self) -> int:
        """0 for the side that moves first from the start of the game, else 1."""

    @property
    def result(self) -> int | None:
        """1 if the side that moves first has won, -1 if the other has, 0 for a draw; None while the game runs."""

    @property
    def legal_moves(self) -> tuple[str, ...]:
        """Sorted; empty when the game is over."""

    @property
    def notation(self) -> str:
        """The position in one word."""

    @property
    def drawing(self) -> tuple[str, ...]:
        """The board for people, row by row."""


class Thinker(Protocol):
    """Who asked for a search."""

    def found(self, info: Info) -> None:
        """The search has found this so far."""

    def failed(self, why: str) -> None:
        """Something went wrong, in one line; `moved` still follows."""

    def moved(self, move: str | None) -> None:
        """The search has ended with this move; None: there is none, the game is over or the player failed."""


class Host(Protocol):
    """A player with its game. The dialect calls it, and says what comes of it, in one thread.

    HostError, one line for the client, is what a request fails by; then nothing has changed.
    """

    @property
    def name(self) -> str:
        """Who plays."""

    @property
    def author(self) -> str:
        """Who made it."""

    @property
    def options(self) -> tuple[Option, ...]:
        """What can be set."""

    @property
    def standing(self) -> Standing:
        """How the game stands."""

    def configure(self, name: str, value: str) -> None:
        """Set an option; an empty value presses a button. Raises HostError."""

    def prepare(self, then: Callable[[str], None]) -> None:
        """Make the player ready; `then` is called at the end, with what went wrong, or nothing.

        Until then the client is not heard. During a search, and where the player is ready, it takes no time.
        """

    def new_game(self, then: Callable[[str], None]) -> None:
        """Forget the game and begin another; `then` as for `prepare`."""

    def set_position(self, start: str, moves: Sequence[str]) -> None:
        """Set the position after `moves` from "startpos" or a notation. Raises HostError."""

    def play(self, move: str) -> None:
        """Play a move on the board. Raises HostError."""

    def search(self, limit: Limit, thinker: Thinker) -> None:
        """Search the position. `thinker` hears of it, at once or later; the board stays as it is."""

    def stop(self) -> None:
        """End the search now, if one runs; its move still comes."""

    def stop_endless(self) -> None:
        """End a search that only `stop` would end: the client says nothing more."""
