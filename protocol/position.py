"""The `position` line: a start and the moves from there. What they mean only a game knows."""

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


class PositionLines:
    """Makes `position` lines one after the other; moves that the line before had are not joined and checked again."""

    __slots__ = ("_line", "_moves", "_text")

    def __init__(self) -> None:
        self._text = ""
        self._moves: list[str] = []
        self._line = ""

    def line(self, text: str, moves: Sequence[str]) -> str:
        """Return what `position_line` does, with the same errors."""
        known = len(self._moves)
        if known and text == self._text and len(moves) <= MAX_MOVES and moves[:known] == self._moves:
            more = moves[known:]
            joined = " ".join(more)
            if more and joined.split() == more:
                self._moves += more
                self._line += f" {joined}"
                return self._line
        self._line = position_line(text, moves)
        self._text, self._moves = text, list(moves)
        return self._line
