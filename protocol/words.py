"""Words and lines: quoting them in messages, reading whole numbers, checking our own lines."""

from fiedler.protocol.errors import LocalProtocolError

MAX_LINE = 65536
"""Longest line, in bytes without its newline."""
MAX_MOVES = 4096
"""Most moves of a game on a line."""
MAX_EXCERPT = 120
"""Longest quotation of a peer's line in an event, in characters."""
MAX_QUOTED = 40
"""Longest quotation of words in a message, in characters."""
_MAX_DIGITS = 19
"""Enough for every number of 64 bits, and far below the lengths that slow down int()."""


def excerpt(text: str, limit: int = MAX_EXCERPT) -> str:
    """Return the beginning of `text`, at most `limit` characters; a cut shows as an ellipsis."""
    return text if len(text) <= limit else text[: limit - 1] + "…"


def quoted(text: str) -> str:
    """Return words of the peer in quotes, shortened and without control characters, for a one-line message."""
    return repr(excerpt(text, MAX_QUOTED))


def number(word: str) -> int | None:
    """Return the whole number that `word` spells in ASCII digits (a minus sign may lead), or None."""
    digits = word.removeprefix("-")
    return int(word) if digits.isascii() and digits.isdigit() and len(digits) <= _MAX_DIGITS else None


def is_words(text: str) -> bool:
    """Return whether `text` survives the wire: one or more words with single blanks between them."""
    return text != "" and " ".join(text.split()) == text


def one_word(text: str, what: str) -> str:
    """Return `text` if it is exactly one word. `what` names it in the message.

    Raises:
        LocalProtocolError: It is not one word.
    """
    if text.split() != [text]:
        raise LocalProtocolError(f"expected one word as {what}, got {quoted(text)}")
    return text
