"""The requests of a manager to a player, in any dialect."""

from collections.abc import Callable, Sequence
from typing import Protocol

from fiedler.protocol.events import ClientEvent
from fiedler.protocol.info import Info
from fiedler.protocol.limit import Limit
from fiedler.protocol.mistake import Mistake

START = "startpos"
"""The start position of a game."""


class Client(Protocol):
    """The manager's side of one conversation: requests become bytes, bytes become events. No socket, no clock.

    A driver calls requests, writes `data_to_send`, passes the player's bytes to `receive_data`, takes events until
    there are none, and writes `data_to_send` again: an answer may lead to another line. It also takes events after each
    request: a dialect answers a request that it cannot express without a byte on the wire. Moves are always in the
    notation of the game. The README of this folder lists the words of each dialect for each request.

    A mistake of the player is an event.

    Raises:
        LocalProtocolError: By any request, if it is not allowed now, or if the dialect cannot express it (another
            start, a limit, an option, an opening, a question). Nothing has changed then.
    """

    reads_info: bool
    """Whether Info and Message are events; with False `last_info` keeps the last one with a score, which costs less."""
    pause_s: float
    """Seconds from the last output of the player to the next bytes for it; 0: none. It is on nobody's clock."""
    grace_s: float
    """Seconds to wait for the answer to `greet` and `new_game` before `assume_answer`; 0: without a limit."""
    takes_any_option: bool
    """Whether `configure` accepts options that were not offered."""
    mistake: Mistake
    """The player's output in place of the pending answer."""
    family: str
    """The one family of games that the player offers to play, as `AnyGame.family`; empty: it has not said so."""

    @property
    def owes_move(self) -> bool:
        """Whether the answer to a search is pending."""

    @property
    def takes_another_game(self) -> bool:
        """Whether another game may begin in this conversation."""

    @property
    def last_info(self) -> Info | None:
        """The last Info with a score since `search`, where `reads_info` is off; None before the first."""

    def keep_info(self) -> Callable[[], Info | None]:
        """Return a function that returns `last_info` as it is now; a line is not read before the call."""

    @property
    def unfinished(self) -> str:
        """The beginning of a line without its newline, at most words.MAX_EXCERPT characters."""

    def greet(self) -> None:
        """Begin the conversation; Identity and Offer may come; ends in Ready."""

    def configure(self, name: str, value: str | None = None) -> None:
        """Set an option that was offered; None presses a button. No event, but a Refusal may come."""

    def ping(self) -> None:
        """Ask for a sign of life; ends in Ready, once every earlier request is done."""

    def ask_start(self) -> None:
        """Ask for the start position of the player's games; ends in one Start."""

    def ask_score(self, moves: Sequence[str]) -> None:
        """Ask for the score of the finished game of the last search, after all its moves; ends in one FinalScore."""

    def new_game(self) -> None:
        """Begin another game, which may need time; ends in Ready."""

    def search(self, moves: Sequence[str], limit: Limit, start: str = START) -> None:
        """Ask for a move after `moves` from `start`; ends in one Move, unless Eof comes first.

        `moves` is the whole game so far, the opening included; the client remembers how much of it the player knows.
        It may be the list of the last search with moves appended, but with no other change. `start` is START or a
        position in the game's notation.
        """

    def place(self, moves: Sequence[str], start: str = START) -> None:
        """Set the position that `query` asks about; the list grows as that of `search`. No event."""

    def query(self, what: str) -> None:
        """Ask about the position; ends in Ready, after a Response if the player answers the question."""

    def stop(self) -> None:
        """End the search now; its Move still comes. No effect without a search, or if the dialect cannot express it."""

    def quit(self) -> None:
        """End the conversation; the player's further output is dropped."""

    def assume_answer(self) -> None:
        """Take the pending answer to `greet` or `new_game` as given, in a dialect with a grace."""

    def receive_data(self, data: bytes) -> None:
        """Take bytes from the player, in any portions."""

    def receive_eof(self) -> None:
        """Note the end of the player's stream."""

    def next_event(self) -> ClientEvent | None:
        """Return the player's next event; None until more data comes, and always after Eof."""

    def receive_answer(self, data: bytes) -> str | None:
        """Take bytes that are whole unread reports of a search, a whole answer to `search` with a move, or both.

        Return the move, or "" after reports alone. For any other bytes nothing changes and None is returned: pass them
        to receive_data. This is the fast path of the usual answer; a client without one always returns None.
        """

    def data_to_send(self) -> bytes:
        """Return, once, the bytes to write to the player; empty if there are none."""
