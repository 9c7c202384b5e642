"""The requests that a server receives in UGI: one event per message from the client."""

from dataclasses import dataclass

from fiedler.protocol.events import Eof, Malformed
from fiedler.protocol.limit import Limit


@dataclass(frozen=True, slots=True)
class Hello:
    """`ugi`: answer with send_hello."""


@dataclass(frozen=True, slots=True)
class IsReady:
    """`isready`: answer with send_readyok, at once, also while a search runs."""


@dataclass(frozen=True, slots=True)
class SetOption:
    """`setoption name NAME [value VALUE]`: no answer. The value is None where the line has none (a button)."""

    name: str
    value: str | None


@dataclass(frozen=True, slots=True)
class NewGame:
    """`uginewgame`: no answer."""


@dataclass(frozen=True, slots=True)
class SetPosition:
    """`position …`: no answer. The text is "startpos" or a notation; a game has checked neither it nor the moves."""

    text: str
    moves: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Go:
    """`go …`: search, and answer with one send_bestmove."""

    limit: Limit


@dataclass(frozen=True, slots=True)
class Stop:
    """`stop`: end the running search; its send_bestmove is still pending. A late stop is not an event."""


@dataclass(frozen=True, slots=True)
class Query:
    """`query WHAT`: answer with one send_response. `what` is one of queries.QUERIES."""

    what: str


@dataclass(frozen=True, slots=True)
class Quit:
    """`quit`: end the session."""


ServerEvent = Hello | IsReady | SetOption | NewGame | SetPosition | Go | Stop | Query | Quit | Malformed | Eof
