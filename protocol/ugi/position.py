"""The `position` line: a start and the moves from there. Only a game knows their meaning."""

from collections.abc import Sequence
from functools import lru_cache

from fiedler.protocol.errors import LocalProtocolError, RemoteProtocolError, TooLongError
from fiedler.protocol.words import MAX_MOVES, is_words, quoted


def read_position(words: list[str]) -> tuple[str, tuple[str, ...]]:
    """Return the text ("startpos" or a notation) and the moves of a `position` line (`position` itself first).

    The notation is everything between `fen` and `moves`.

    Raises:
        RemoteProtocolError: The text is missing or wrong, or there are too many moves.
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
    """Return the `position` line.

    Raises:
        LocalProtocolError: The text or the moves would not arrive unchanged, or there are too many moves.
    """
    if len(moves) > MAX_MOVES:
        raise TooLongError(f"expected at most {MAX_MOVES} moves, got {len(moves)}")
    if text == "startpos" and not moves:
        return "position startpos"
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
    """The `position` line of a game that grows: each move is checked and joined once, not again with every line."""

    __slots__ = ("_count", "_line", "_moves", "_start")

    def __init__(self) -> None:
        self._start = ""
        self._moves: Sequence[str] = ()
        self._count = 0
        """The number of moves in `_line`."""
        self._line = bytearray()

    def line(self, start: str, moves: Sequence[str]) -> bytearray:
        """Return the line of `moves` from `start`, without its newline.

        The list of the last call may have grown, with no other change. The returned line grows, too: copy it.

        Raises:
            LocalProtocolError: As from `position_line`.
        """
        count, number = self._count, len(moves)
        if moves is not self._moves or number < count or start != self._start:
            self._line = bytearray(position_line(start, ()).encode("utf-8", "backslashreplace"))
            self._start, self._moves, self._count, count = start, moves, 0, 0
        if number > MAX_MOVES:
            raise TooLongError(f"expected at most {MAX_MOVES} moves, got {number}")
        if number > count:
            words = b"".join(map(_word, moves[count:]))
            self._line += words if count else b" moves" + words
            self._count = number
        return self._line


@lru_cache(maxsize=1024)
def _word(move: str) -> bytes:
    """Return the bytes that a move adds to a line.

    Raises:
        LocalProtocolError: The move is not one word.
    """
    if move.split() != [move]:
        raise LocalProtocolError(f"expected moves of one word each, got {quoted(move)}")
    return b" " + move.encode("utf-8", "backslashreplace")
