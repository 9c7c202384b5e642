"""Failures that are not a player's: of this machine, or of its network."""

from __future__ import annotations

from collections.abc import Sequence

from fiedler.client.child import Child, ExhaustedError
from fiedler.support.errors import WorkError


class MachineError(WorkError):
    """The machine is out of resources; the failure is not a player's."""


class NetworkError(MachineError):
    """The machine has no route to the player's address; the message begins with the player's name."""


def start(child: Child, command: Sequence[str], folder: str, cores: frozenset[int] | None = None) -> None:
    """Start a program in `folder`, on these cores or on any.

    Raises:
        StartError: the program does not exist, or the file is not a program.
        MachineError: the machine has no process, memory or file handle left.

    """
    try:
        child.start(command, folder, cores)
    except ExhaustedError as error:
        raise MachineError(str(error)) from error
