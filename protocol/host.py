"""The requests of a dialect to the player that it fronts."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

from fiedler.protocol.info import Info
from fiedler.protocol.limit import Limit
from fiedler.protocol.option import Option

OUR_NAME = "Fiedler"
"""The first word of the name of this project's engines."""


def is_ours(name: str) -> bool:
    """Return whether the name is that of an engine of this project."""
    return name.startswith(f"{OUR_NAME} ")


class GameState(Protocol):
    """The state of a game. It does not change. Moves are in the notation of the game."""

    @property
    def moves(self) -> tuple[str, ...]:
        """The moves from `startpos`, or from the position that was set, to here."""

    @property
    def has_cells(self) -> bool:
        """Whether the board has cells: else there is no `picture`, no `background`, and no `Host.evaluate`."""

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
        """The drawn board, row by row."""

    @property
    def picture(self) -> tuple[str, ...]:
        """The board in a square frame, the top row first: X, O, `.` for an empty point, `?` for none."""

    @property
    def background(self) -> tuple[str, ...]:
        """The background of each point of `picture`.

        `+` in the part of the board where the mover must play, `!` forbidden to the mover, `*` in a line that won, `X`,
        `O` or `#` in a local board that a side has won or that is full, else `.` or `?`.
        """

    @property
    def lead(self) -> float | None:
        """The points of the side that moves first less those of the other; None in a game without points."""

    @property
    def captured(self) -> tuple[int, int]:
        """The captured stones of the side that moves first, and of the other; none in a game without points."""

    @property
    def won_by(self) -> str:
        """How the finished game, not a draw, was won."""


@dataclass(frozen=True, slots=True)
class MoveScore:
    """The score of a move for the side that plays it."""

    move: str
    score: float
    """Expected score, 0 to 1."""
    mate: int | None = None
    """Own moves to the forced win, negative to the forced loss."""
    proven: Literal["win", "draw", "loss"] | None = None


class Thinker(Protocol):
    """The receiver of a search's reports and result."""

    def found(self, info: Info) -> None:
        """Receive the findings so far."""

    def failed(self, why: str) -> None:
        """Receive an error, in one line; `moved` still follows."""

    def remarked(self, why: str) -> None:
        """Receive the reason why the search ended before its limit, in one line; `moved` still follows."""

    def moved(self, move: str | None) -> None:
        """Receive the move at the end of the search; None: the game is over, or the player failed."""


class Host(Protocol):
    """A player with its game. The dialect calls it, and sends the results, in one thread.

    After a HostError, one line for the client, nothing has changed.
    """

    @property
    def name(self) -> str:
        """The name of the player."""

    @property
    def author(self) -> str:
        """The author of the player."""

    @property
    def version(self) -> str:
        """The version of this program."""

    @property
    def game(self) -> str:
        """The id of the game."""

    @property
    def games(self) -> tuple[str, ...]:
        """The ids of the games that `change_game` accepts."""

    @property
    def model(self) -> str:
        """The model file that was chosen at the start; empty: the player has none."""

    @property
    def options(self) -> tuple[Option, ...]:
        """The options of the player."""

    @property
    def game_options(self) -> tuple[Option, ...]:
        """The options of UCI by which a client recognises the game; `configure` accepts their defaults alone."""

    @property
    def state(self) -> GameState:
        """The state of the game."""

    def configure(self, name: str, value: str, then: Callable[[str], None]) -> None:
        """Set an option; an empty value presses a button. `then` as for `prepare`.

        Raises:
            HostError: The name is unknown, or the value is wrong; `then` is not called.
        """

    def prepare(self, then: Callable[[str], None]) -> None:
        """Make the player ready; `then` is called at the end, with an error or an empty text.

        Until then no line of the client is handled. During a search, or if the player is ready, it takes no time.
        """

    def new_game(self, then: Callable[[str], None]) -> None:
        """Forget the game and begin another; `then` as for `prepare`."""

    def change_game(self, game: str) -> None:
        """Play another game from now on, from its start, with a new player. Not during a search.

        Raises:
            HostError: This host does not play the game, or the player cannot be made.
        """

    def set_position(self, start: str, moves: Sequence[str]) -> None:
        """Set the position after `moves` from "startpos" or a notation.

        Raises:
            HostError: The start or a move is wrong.
        """

    def play(self, move: str) -> None:
        """Play a move on the board.

        Raises:
            HostError: The move is illegal.
        """

    def search(self, limit: Limit, thinker: Thinker) -> None:
        """Search the position. `thinker` receives the results, at once or later; the board does not change."""

    def change_limit(self, limit: Limit) -> None:
        """End the search that runs within `limit`, counted from its beginning; a longer limit changes nothing."""

    def evaluate(self, limit: Limit, then: Callable[[Sequence[MoveScore], str], None]) -> None:
        """Search each legal move within `limit` in all; `then` receives those that were searched, or an error.

        Until then no line of the client is handled.
        """

    def visits(self) -> Sequence[tuple[str, int]]:
        """Return the moves at the root of the last search with their visits, the most visited first.

        Empty if the player does not count visits, or has not searched.
        """

    def read_file(self, name: str) -> str:
        """Return the text of a file of the client's machine.

        Raises:
            HostError: The client may not name files, or this one cannot be read.
        """

    def stop(self) -> None:
        """End the search now, if one runs; its move still comes."""

    def stop_endless(self) -> None:
        """End a search that only `stop` would end: the client's stream has ended."""
