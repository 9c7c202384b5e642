"""The engine that is checked: how to open a session with it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from fiedler.client.answer import NoCallError
from fiedler.engine.check.failure import StepError
from fiedler.engine.check.link import CallingLink, Link, port_link, program_link
from fiedler.engine.check.reported import reported_game
from fiedler.engine.host.session import spoken
from fiedler.engine.port.port_access import PortAccess
from fiedler.games import AnyGame
from fiedler.games.coordinates import coordinates
from fiedler.protocol import DIALECTS, Coordinates, Dialect, Offer
from fiedler.support.address import parse_address
from fiedler.support.errors import UsageError, WorkError

NOTHING_DEMANDED = PortAccess()
STARTS = 3
"""The first answer of a session may take this many times the time of the others."""


@dataclass
class Subject:
    """An engine, its dialect and its game."""

    way: Callable[[float], Link]
    """Opens a link to it, within a time."""
    dialect_name: str
    game: AnyGame
    timeout: float
    """The time for each answer, in seconds."""
    is_program: bool
    """Whether each session is a process of its own; otherwise a server has them all."""
    one_game_each: bool = False
    """Whether a session is good for one game only."""
    leaves_start_unanswered: bool = False
    """Whether the engine has left out an answer to the start of a game."""
    leaves_unanswered: bool = False
    """Whether it has left out that answer, or the one that shows that the settings of a game are taken."""

    @cached_property
    def dialect(self) -> Dialect:
        """Its dialect."""
        return DIALECTS[self.dialect_name]

    @cached_property
    def coordinates(self) -> Coordinates:
        """The names of moves in the dialect."""
        return coordinates(self.game, self.dialect.coordinates)

    @property
    def startup(self) -> float:
        """The time for the first answer of a session, in seconds."""
        return STARTS * self.timeout

    def link(self) -> Link:
        """Return a new link.

        Raises:
            StepError: It cannot be opened.
        """
        try:
            return self.way(self.startup)
        except TimeoutError:
            raise StepError(f"no connection within {self.startup:g} s") from None
        except (NoCallError, WorkError) as error:
            raise StepError(str(error)) from None


def subject_of(
    command: Sequence[str],
    address: str | None,
    dialect: str,
    game: AnyGame | None,
    timeout: float,
    access: PortAccess = NOTHING_DEMANDED,
) -> Subject:
    """Return the engine that a command line names.

    Raises:
        UsageError: The command line is wrong, or the engine does not report its game.
    """
    if bool(command) == (address is not None):
        raise UsageError("expected one engine: -- COMMAND …, or --address HOST:PORT")
    way = _way(command, address, dialect, access)
    found = game or reported_game(way, dialect, STARTS * timeout)
    known = [name for name in spoken(found) if found.has_rules or DIALECTS[name].questions]
    if dialect not in known:
        raise UsageError(f"--protocol: expected one of {', '.join(known)} for {found.id}, got {dialect}")
    return Subject(way, dialect, found, timeout, is_program=address is None)


def _way(command: Sequence[str], address: str | None, dialect: str, access: PortAccess) -> Callable[[float], Link]:
    dials_in = DIALECTS[dialect].dials_in
    if address is not None:
        place = parse_address(address)
        if dials_in:
            raise UsageError(f"--protocol {dialect}: expected -- COMMAND with {{port}}, since its players connect")
        access.warn_in_clear(place)
        loaded = access.loaded()
        return lambda seconds: port_link(place, loaded, seconds)
    if access != NOTHING_DEMANDED:
        raise UsageError("--token-file, --tls, --ca: only with --address")
    if dials_in:
        return lambda seconds: CallingLink(command, seconds)
    return lambda _: program_link(command)


def option_names(offers: Sequence[Offer]) -> str:
    """Return the names of options in one line."""
    return ", ".join(offer.option.name for offer in offers) or "none"
