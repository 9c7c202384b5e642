"""The registry of dialects, and their detection by the first line."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from types import ModuleType
from typing import Any

from fiedler.protocol.client import Client
from fiedler.protocol.coordinates import Coordinates
from fiedler.protocol.host import Host
from fiedler.protocol.server import Server
from fiedler.protocol.words import MAX_LINE

MOVETIME = frozenset({"movetime_ms"})
"""A time for each move, which the manager keeps."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """One text protocol: both of its sides, and the beginning of a conversation in it."""

    client: Callable[[Coordinates], Client]
    """Makes the manager's side of a conversation."""
    server: Callable[[Host, Coordinates], Server]
    """Makes the engine's side of a conversation."""
    opens: Callable[[str], bool] | None
    """Whether a line can be the first line of a client; None: no line shows this dialect, which has to be pinned."""
    refusal: Callable[[str], bytes]
    """Makes the reason for a refused or ended session into one readable line, in the form of the dialect."""
    coordinates: str = "own"
    """The names of moves: a key of `games.coordinates`."""
    limits: frozenset[str] = frozenset({"movetime_ms", "nodes", "depth", "base_ms"})
    """The limits that a player can have: the dialect expresses them, or the manager alone keeps them."""
    openings: bool = True
    """Whether a game can begin with an opening."""
    positions: bool = False
    """Whether a game can begin at any position, and a side may move twice in a row."""
    options: bool = True
    """Whether the dialect expresses the options of a player."""
    questions: bool = False
    """Whether the dialect has words for questions about a position."""
    answers_pings: bool = False
    """Whether `ping` is a question to the player, which it answers at once: its round trip is the lag of the line."""
    dials_in: bool = False
    """Whether the player opens the connection, and begins the conversation."""
    own_folder: bool = False
    """Whether each process of a player runs in a new folder of its own."""
    chooses_game: bool = False
    """Whether the client chooses the game."""
    opens_blindly: bool = False
    """Whether a manager may send all up to the first move command to a program that is still starting.

    The time of that move then counts from the start of the program.
    """

    def load(self) -> None:
        """Load its package now: a program with many clients neither waits for it later nor lacks a free file."""
        self.refusal("")  # as any call does


def _package(name: str) -> ModuleType:
    """Return the package of a dialect, which is loaded when the dialect is first spoken: a program speaks few."""
    return import_module(f"fiedler.protocol.{name}")


def _late(package: str, name: str) -> Callable[..., Any]:
    """Return a function of the package of a dialect."""

    def call(*given: object, **named: object) -> object:
        return getattr(_package(package), name)(*given, **named)

    return call


DIALECTS = {
    "ugi": Dialect(
        client=lambda _: _package("ugi").UgiClient(),
        server=lambda host, _: _package("ugi").UgiServer(host),
        opens=lambda line: line.split() == ["ugi"],
        refusal=_late("ugi", "refusal"),
        positions=True,
        questions=True,
        answers_pings=True,
    ),
    "uci": Dialect(
        client=lambda _: _package("ugi").UgiClient(vocabulary=_package("ugi").UCI),
        server=lambda host, _: _package("ugi").UgiServer(host, vocabulary=_package("ugi").UCI),
        opens=lambda line: line.split() == ["uci"],
        refusal=_late("ugi", "refusal"),
        positions=True,
        answers_pings=True,
    ),
    "gtp": Dialect(
        client=_late("gtp", "GtpClient"),
        server=_late("gtp", "GtpServer"),
        opens=_late("gtp", "is_command"),
        refusal=_late("gtp", "refusal"),
        coordinates="vertex",
        limits=MOVETIME | {"base_ms"},
        answers_pings=True,
    ),
    "gomocup": Dialect(
        client=_late("gomocup", "GomocupClient"),
        server=_late("gomocup", "GomocupServer"),
        opens=_late("gomocup", "is_command"),
        refusal=_late("gomocup", "refusal"),
        coordinates="point",
        limits=MOVETIME | {"base_ms"},
        own_folder=True,
        chooses_game=True,
        opens_blindly=True,
    ),
    "rowcol": Dialect(
        client=_late("rowcol", "RowcolClient"),
        server=_late("rowcol", "RowcolServer"),
        opens=_late("rowcol", "is_cell"),
        refusal=_late("rowcol", "refusal"),
        coordinates="row column",
        limits=MOVETIME,
        openings=False,
        options=False,
    ),
    "rowcol-list": Dialect(
        client=partial(_late("rowcol", "RowcolClient"), with_list=True),
        server=partial(_late("rowcol", "RowcolServer"), with_list=True),
        opens=None,
        refusal=_late("rowcol", "refusal"),
        coordinates="row column",
        limits=MOVETIME,
        openings=False,
        options=False,
    ),
    "makemove": Dialect(
        client=_late("makemove", "MakemoveClient"),
        server=_late("makemove", "MakemoveServer"),
        opens=None,
        refusal=_late("makemove", "refusal"),
        coordinates="byte",
        limits=MOVETIME,
        options=False,
        dials_in=True,
    ),
}
"""Every dialect by name, in the order in which `detect` asks them."""
DEFAULT = "ugi"
"""The dialect of clients whose first line opens no dialect."""


def detect(first_line: str, names: Collection[str] | None = None) -> str | None:
    """Return the name of the dialect, one of `names` or any, that `first_line` opens; None if it opens none."""
    for name, dialect in DIALECTS.items():
        if (names is None or name in names) and dialect.opens is not None and dialect.opens(first_line):
            return name
    return None


class FirstLine:
    """Holds the bytes of a client until its first line shows the dialect, one of `names` or any.

    Blank lines are skipped.
    """

    def __init__(self, names: Collection[str] | None = None) -> None:
        self.held = b""
        self._names = names

    def feed(self, data: bytes) -> Dialect | None:
        """Take bytes; return the dialect once it is known. Pass `held` to its server then."""
        self.held += data
        while (end := self.held.find(b"\n")) >= 0:
            line = self.held[:end].decode(errors="backslashreplace")
            if line.strip():
                return DIALECTS[detect(line, self._names) or DEFAULT]
            self.held = self.held[end + 1 :]
        return DIALECTS[DEFAULT] if len(self.held) > MAX_LINE else None
