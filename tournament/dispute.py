"""A game that ended without a result: its two players, who alone know the rules, do not agree on them."""

from __future__ import annotations

from msgspec import Struct

from fiedler.support.text import counted

MOST_OF_PAIR = 3
"""Disputes of two players after which they meet no more."""


class Dispute(Struct, frozen=True):
    """The end of the game of this number and id; `at` is its time, ISO 8601, `moves` were played before it."""

    at: str
    number: int
    id: str
    first: str
    second: str
    moves: tuple[str, ...]
    question: str
    """The subject: `gameover`, `p1turn`, `result` or `legalmoves`."""
    opinions: tuple[str, str]
    """The opinions of the first and the second player, each the rest of a sentence that begins with its name."""

    @property
    def pair(self) -> frozenset[str]:
        """The names of both players."""
        return frozenset((self.first, self.second))

    @property
    def text(self) -> str:
        """Both opinions as a sentence without its end."""
        both = "; ".join(f"{name} {said}" for name, said in zip((self.first, self.second), self.opinions, strict=True))
        return f"after {counted(len(self.moves), 'ply')} {both}"


class WithdrawnDispute(Struct, frozen=True):
    """A dispute that counts no more, since `at`, ISO 8601, with the reason: its game is played again."""

    at: str
    why: str
    dispute: Dispute
