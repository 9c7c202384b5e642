"""The `position` line: a start and the moves from there. Only a game knows their meaning."""

from collections.abc import Sequence

from protocol.errors import LocalProtocolError, RemoteProtocolError
from protocol.words import is_words, quoted

MAX_MOVES = 4096
"""Most moves on a `position` line."""


def read_position(words: list[str]) -> tuple[str, tuple[str, ...]]:
    """Read the words of a `position` line (`position` itself first): its text ("startpos" or a notation), its moves.

    The notation is everything between `fen` and `moves`. RemoteProtocolError says what is missing or too much.
    """
    kind = words[1] if len(words) > 1 else ""
    try:
        at = words.index("moves", 2)
    except ValueError:
        at = len(words)
    text = "startpos" if kind == "startpos" else " ".join(words[2:at])
    if kind not in {"startpos", "fen"}:
        raise RemoteProtocolError(f"expected startpos or fen after position, got {quoted(kind)}")
    if kind == "startpos" and at > 2:
        raise RemoteProtocolError(f"expected moves after startpos, got {quoted(words[2])}")
    if not text:
        raise RemoteProtocolError("expected a position after fen, got nothing")
    moves = tuple(words[at + 1 :])
    if len(moves) > MAX_MOVES:
        raise RemoteProtocolError(f"expected at most {MAX_MOVES} moves, got {len(moves)}")
    return text, moves


def position_line(text: str, moves: Sequence[str]) -> str:
    """Return the `position` line; LocalProtocolError where text or moves would arrive as something else."""
    if len(moves) > MAX_MOVES:
        raise LocalProtocolError(f"expected at most {MAX_MOVES} moves, got {len(moves)}")
    if not is_words(text) or "moves" in text.split():
        raise LocalProtocolError(f"expected a position in words, none of them 'moves', got {quoted(text)}")
    line = "position startpos" if text == "startpos" else f"position fen {text}"
    if not moves:
        return line
    joined = " ".join(moves)
    if joined.split() != list(moves):
        raise LocalProtocolError(f"expected moves of one word each, got {quoted(joined)}")
    return f"{line} moves {joined}"


class GrowingPosition:
    """A game from the start as its `position` line: each move is checked and joined once, not again with every line."""

    __slots__ = ("_count", "line")

    def __init__(self, moves: Sequence[str] = ()) -> None:
        """Begin after `moves`. LocalProtocolError as `position_line` raises it."""
        self.line = position_line("startpos", moves).encode("utf-8", "backslashreplace")
        """what is sent, without its end"""
        self._count = len(moves)

    def add(self, move: str) -> None:
        """Add a move; LocalProtocolError where it would arrive as something else, and then nothing has changed."""
        if self._count >= MAX_MOVES:
            raise LocalProtocolError(f"expected at most {MAX_MOVES} moves, got {self._count + 1}")
        if move.split() != [move]:
            raise LocalProtocolError(f"expected moves of one word each, got {quoted(move)}")
        data = move.encode("utf-8", "backslashreplace")
        self.line = b"%b %b" % (self.line, data) if self._count else b"%b moves %b" % (self.line, data)
        self._count += 1
