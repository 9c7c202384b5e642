"""The answers to the questions to a player."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass
class Answered:
    """The last answers of a player to questions about positions."""

    start: str | None = None
    """The start of its game."""
    score: str = ""
    """Its score of a finished game."""
    capabilities: frozenset[str] | None = None
    """The questions that it knows; None before it was asked."""
    texts: dict[str, str] = field(default_factory=dict)
    """The other answers, by question."""


class AwaitedAnswer:
    """The answer to the last question to a player: missing until its event comes, or until nobody waits any more."""

    def __init__(self) -> None:
        self.kind: type[object] | None = None
        """The type of the event that is the answer; None once it has come."""
        self.came = 0.0
        """The moment of the last answer, in seconds of `time.monotonic`."""
        self._waiter: asyncio.Future[None] | None = None
        self._assumption: asyncio.TimerHandle | None = None

    @property
    def is_missing(self) -> bool:
        """Whether the answer has not come yet."""
        return self.kind is not None

    def expect(self, kind: type[object]) -> None:
        """Begin with a question; an event of this kind will be the answer."""
        self.kind = kind

    def assume_after(self, seconds: float, assume: Callable[[], None]) -> None:
        """Call `assume` after this time without an answer."""
        self._assumption = asyncio.get_running_loop().call_later(seconds, assume)

    def receive(self, kind: type[object], came: float) -> None:
        """Receive an event of bytes of the moment `came`, which may be the answer."""
        if self.kind is kind:
            self.kind = None
            if self._assumption is not None:
                self._assumption.cancel()
            self.came = came
            self.wake()

    async def wait(self) -> None:
        """Wait for the answer, or for `wake`."""
        self._waiter = asyncio.get_running_loop().create_future()
        await self._waiter

    def wake(self) -> None:
        """End the wait."""
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    def forget(self) -> None:
        """Expect nothing any more."""
        self.kind = self._waiter = None
