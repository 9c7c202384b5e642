"""What ends a step before its end."""

from __future__ import annotations


class StepError(Exception):
    """The engine did something else than the step expects."""

    def __init__(self, got: str, expected: str = "", *, explained: bool = False) -> None:
        """`got` is a phrase about the engine; `expected` replaces the expectation of the whole step.

        `explained`: `got` has the cause, so that nothing else need be tried.
        """
        super().__init__(got)
        self.got = got
        self.expected = expected
        self.explained = explained


class SkippedError(Exception):
    """The step cannot be asked of this engine; the message has the reason."""
