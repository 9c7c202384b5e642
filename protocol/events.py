"""Events of a client, in any dialect: one event per message from the player."""

from dataclasses import dataclass
from typing import Literal

from protocol.info import Info
from protocol.option import Option


@dataclass(frozen=True, slots=True)
class Malformed:
    """A line that breaks the rules; it changed nothing."""

    line: str
    """The beginning of it, at most words.MAX_EXCERPT characters; bytes that are not UTF-8 appear as \\xNN. It is the
    peer's: it may hold control characters, so show it with repr()."""
    why: str
    """One printable line: what was expected and what came."""


@dataclass(frozen=True, slots=True)
class Eof:
    """The peer sends nothing more."""


@dataclass(frozen=True, slots=True)
class Ready:
    """Everything that was asked before is done. The one answer to each `greet`, `ping` and `new_game`."""


@dataclass(frozen=True, slots=True)
class Identity:
    """The player says who it is."""

    field: Literal["name", "author"]
    text: str


@dataclass(frozen=True, slots=True)
class Offer:
    """An option that `configure` can set."""

    option: Option


@dataclass(frozen=True, slots=True)
class Move:
    """The one answer to `search`, in the notation of the game. None: the player says that it has no move."""

    move: str | None


@dataclass(frozen=True, slots=True)
class Message:
    """A line for people, with its blanks as they came."""

    text: str


@dataclass(frozen=True, slots=True)
class Refusal:
    """The player understood a request and did not fulfil it."""

    why: str


@dataclass(frozen=True, slots=True)
class Start:
    """The answer to `ask_start`: the position from which the player's games start, None where it cannot say."""

    position: str | None


@dataclass(frozen=True, slots=True)
class Response:
    """The answer to the oldest question about the position that has none yet, `query`. The text may be empty."""

    text: str
    query: str


ClientEvent = Ready | Identity | Offer | Info | Message | Refusal | Start | Response | Move | Malformed | Eof
