"""The engine elsewhere that the options of a command name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fiedler.engine.port.port_access import PortAccess
from fiedler.engine.roster.choice import NOBODY, Choice
from fiedler.support.errors import UsageError

if TYPE_CHECKING:
    from fiedler.engine.person.foreign import ForeignEngine


def engine_elsewhere(
    address: str | None, command: str | None, dialect: str | None, access: PortAccess, choice: Choice
) -> ForeignEngine | None:
    """Return the engine that is not a player of this process, or None; raises UsageError."""
    from fiedler.engine.person.foreign import foreign_engine

    found = foreign_engine(address, command, dialect, access)
    if found is not None and choice != NOBODY:
        raise UsageError(f"{found.option}: that engine chooses its own player; leave out --player, --model and --set")
    return found
