"""The failures of an engine."""

from __future__ import annotations

from fiedler.support.errors import WorkError


class EngineError(WorkError):
    """Root of the engine's failures. The message is one line: the address or the command, and the failure."""

    def __init__(self, message: str, stderr: str = "") -> None:
        super().__init__(message)
        self.stderr = stderr
        """The last line of a program that names an error, on its standard error; empty if there is none."""


class EngineGoneError(EngineError):
    """The engine is out of reach, has ended, does not answer in time, or was closed."""


class EngineRulesError(EngineError):
    """The engine broke the rules of the protocol or of the game."""


class EngineRefusedError(EngineError):
    """The engine understood a request and refused it."""
