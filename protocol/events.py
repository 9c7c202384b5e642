"""Events of a client, in any dialect: one event per message from the player."""

from dataclasses import dataclass
from typing import Literal

from fiedler.protocol.info import Info
from fiedler.protocol.option import Option


@dataclass(frozen=True, slots=True)
class Malformed:
    """A line that breaks the rules; it changed nothing."""

    line: str
    """Its beginning, at most words.MAX_EXCERPT characters; bytes that are not UTF-8 appear as \\xNN. It comes from the
    peer and may hold control characters, so show it with repr()."""
    why: str
    """One printable line: the expectation and the input."""


@dataclass(frozen=True, slots=True)
class Eof:
    """The peer sends nothing more."""


@dataclass(frozen=True, slots=True)
class Ready:
    """Every earlier request is done. The one answer to each `greet`, `ping` and `new_game`."""


@dataclass(frozen=True, slots=True)
class Identity:
    """The name or the author of the player."""

    field: Literal["name", "author"]
    text: str


@dataclass(frozen=True, slots=True)
class Offer:
    """An option that `configure` can set."""

    option: Option


RESIGN = "resign"
"""A player's answer in place of a move, in any dialect."""


@dataclass(frozen=True, slots=True)
class Move:
    """The answer to `search`, in the notation of the game, or RESIGN. None: the player reports that it has no move."""

    move: str | None


@dataclass(frozen=True, slots=True)
class Message:
    """A line for human readers, with its blanks unchanged."""

    text: str


@dataclass(frozen=True, slots=True)
class Refusal:
    """The player understood a request and did not fulfil it."""

    why: str
    final: bool = False
    """Whether it is the answer to `greet` or `new_game`: no Ready follows."""


@dataclass(frozen=True, slots=True)
class Start:
    """The answer to `ask_start`: the start position of the player's games, None if the player cannot report it."""

    position: str | None


@dataclass(frozen=True, slots=True)
class FinalScore:
    """The answer to `ask_score`, in the words of the player; None if it has no answer, or cannot be asked."""

    text: str | None


@dataclass(frozen=True, slots=True)
class Response:
    """The answer to `query`, the oldest unanswered question about the position. The text may be empty."""

    text: str
    query: str


ClientEvent = (
    Ready | Identity | Offer | Info | Message | Refusal | Start | FinalScore | Response | Move | Malformed | Eof
)
