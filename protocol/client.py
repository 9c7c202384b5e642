"""The requests of a manager to a player, in any dialect."""

from collections.abc import Sequence
from typing import Protocol

from protocol.events import ClientEvent
from protocol.info import Info
from protocol.limit import Limit
from protocol.mistake import Mistake

START = "startpos"
"""The start position of a game."""


class Client(Protocol):
    """The manager's side of one conversation: requests become bytes, bytes become events. No socket, no clock.

    A driver calls requests, writes `data_to_send`, hands what comes to `receive_data` and takes events until there are
    none. It does the same after requests: what a dialect has no words for is answered without a byte on the wire.
    Moves are in the notation of the game, whatever the dialect makes of them. How each dialect says each request:
    the README of this folder.

    Requests raise LocalProtocolError for what may not be asked now, and for what the dialect cannot say: another start,
    a limit, an option, an opening. Then nothing has changed. What the player does wrong is an event.
    """

    reads_info: bool
    """Whether Info is an event; with False only the last one with a score is kept, as `last_info`, which costs less."""
    mistake: Mistake
    """What the player said in place of the answer that is due."""

    @property
    def owes_move(self) -> bool:
        """Whether a search has not been answered yet."""

    @property
    def last_info(self) -> Info | None:
        """The last Info with a score since `search`, where `reads_info` is off; None before the first."""

    @property
    def unfinished(self) -> str:
        """The beginning of a line whose end has not come, at most words.MAX_EXCERPT characters."""

    def greet(self) -> None:
        """Begin the conversation; Identity and Offer may come, and ends in Ready."""

    def configure(self, name: str, value: str | None = None) -> None:
        """Set an option that was offered; None presses a button. No event, but a Refusal may come."""

    def ping(self) -> None:
        """Ask for a sign of life; ends in Ready, once everything that was asked before is done."""

    def ask_start(self) -> None:
        """Ask from which position the player's games start; ends in one Start."""

    def new_game(self) -> None:
        """Begin another game, which may need time; ends in Ready."""

    def search(self, moves: Sequence[str], limit: Limit, start: str = START) -> None:
        """Ask for a move after `moves` from `start`; ends in one Move, unless Eof comes first.

        `moves` is the whole game so far, the opening included: what the player knows of it already is the client's to
        remember. It may be the list of the last search, to which moves were added, and nothing else was done. `start`
        is START or a position in the game's notation.
        """

    def stop(self) -> None:
        """End the search now; its Move still comes. Nothing without a search, or if the dialect has no words for it."""

    def quit(self) -> None:
        """End the conversation; what the player still says is dropped."""

    def receive_data(self, data: bytes) -> None:
        """Take bytes from the player, in any portions."""

    def receive_eof(self) -> None:
        """Take note that the player says nothing more."""

    def next_event(self) -> ClientEvent | None:
        """Return the next thing that the player said; None until more data comes, and for ever after Eof."""

    def receive_move(self, data: bytes) -> str:
        """Take bytes if they are the answer to `search` with a move, whole and alone, and return that move.

        An Info that is not read may stand before it. Otherwise nothing has happened, "" is returned, and the bytes are
        for receive_data. It is the short way for what nearly always comes; a client may have none, and return "".
        """

    def data_to_send(self) -> bytes:
        """Return, once, the bytes to write to the player; empty if there are none."""
