"""Events of a session: one event per message from the peer."""

from dataclasses import dataclass
from typing import Literal

from protocol.info import Info
from protocol.limit import Limit
from protocol.option import Option

# --- both sides -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Malformed:
    """A line that breaks the rules; it changed nothing."""

    line: str
    """The beginning of it, at most words.MAX_EXCERPT characters; bytes that are no UTF-8 stand as \\xNN. It is the
    peer's: it may hold control characters, so show it with repr()."""
    why: str
    """One printable line: what was expected and what came."""


@dataclass(frozen=True, slots=True)
class Eof:
    """The peer sends nothing more."""


# --- what a server is asked -------------------------------------------------------------------------------------------


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
    """`stop`: a search runs and is to end; its send_bestmove is still owed. A stop that comes too late is no event."""


@dataclass(frozen=True, slots=True)
class Query:
    """`query WHAT`: answer with one send_response. `what` is one of ugi_server.QUERIES."""

    what: str


@dataclass(frozen=True, slots=True)
class Quit:
    """`quit`: end the session."""


ServerEvent = Hello | IsReady | SetOption | NewGame | SetPosition | Go | Stop | Query | Quit | Malformed | Eof

# --- what a client is told --------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class EngineId:
    """`id name TEXT` or `id author TEXT`."""

    field: Literal["name", "author"]
    text: str


@dataclass(frozen=True, slots=True)
class OptionOffer:
    """`option name …`."""

    option: Option


@dataclass(frozen=True, slots=True)
class UgiOk:
    """`ugiok`: the engine has said who it is and what can be set."""


@dataclass(frozen=True, slots=True)
class ReadyOk:
    """`readyok`: the answer to one `isready`."""


@dataclass(frozen=True, slots=True)
class InfoLine:
    """`info …` about a search; a foreign engine may send one at any time."""

    info: Info


@dataclass(frozen=True, slots=True)
class InfoString:
    """`info string TEXT`, with the blanks of the text as they came."""

    text: str

    @property
    def error(self) -> str | None:
        """What the server refused, if this is its `info string error: …`; else None."""
        return self.text.removeprefix("error: ") if self.text.startswith("error: ") else None


@dataclass(frozen=True, slots=True)
class Response:
    """`response [TEXT]`: the answer to the oldest query that has none yet, `query`. The text may be empty."""

    text: str
    query: str


@dataclass(frozen=True, slots=True)
class BestMove:
    """`bestmove MOVE`: the one answer to `go`. None where the engine has no move (`none`, or a bare `bestmove`)."""

    move: str | None


ClientEvent = EngineId | OptionOffer | UgiOk | ReadyOk | InfoLine | InfoString | Response | BestMove | Malformed | Eof
