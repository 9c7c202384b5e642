"""The limit of one search, and the `go` line that carries it."""

from dataclasses import dataclass

from protocol.errors import LocalProtocolError, RemoteProtocolError
from protocol.words import number, quoted

MAX_MS = 2**31 - 1
"""Longest time in a `go`, in milliseconds (24 days): the largest number every engine's int can hold."""
MAX_DEPTH = 2**31 - 1
MAX_NODES = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Limit:
    """When a search ends: at whichever of these comes first. None = no limit of that kind; times in milliseconds."""

    depth: int | None = None
    """Plies, 1 to MAX_DEPTH."""
    nodes: int | None = None
    """Nodes (simulations, for tree search by playouts), 1 to MAX_NODES."""
    movetime_ms: int | None = None
    """Time for this move, 1 to MAX_MS."""
    p1time_ms: int | None = None
    """Time left on the first player's clock, 0 to MAX_MS; so for the next three."""
    p2time_ms: int | None = None
    p1inc_ms: int | None = None
    """What the first player's clock gains per move."""
    p2inc_ms: int | None = None
    infinite: bool = False
    """Search until `stop`, even when the result is proven."""


# word in `go` -> (field of Limit, lowest value, highest value). A zero depth, node count or move time is refused
# because engines commonly read 0 as "no limit" and would then never answer.
_FIELDS = {
    "p1time": ("p1time_ms", 0, MAX_MS),
    "p2time": ("p2time_ms", 0, MAX_MS),
    "p1inc": ("p1inc_ms", 0, MAX_MS),
    "p2inc": ("p2inc_ms", 0, MAX_MS),
    "movetime": ("movetime_ms", 1, MAX_MS),
    "depth": ("depth", 1, MAX_DEPTH),
    "nodes": ("nodes", 1, MAX_NODES),
}


def _read_value(word: str, text: str | None) -> int:
    _, low, high = _FIELDS[word]
    value = None if text is None else number(text)
    if value is None or not low <= value <= high:
        got = "nothing" if text is None else quoted(text)
        raise RemoteProtocolError(f"expected a whole number from {low} to {high} after {word}, got {got}")
    return value


def read_go(words: list[str]) -> Limit:
    """Read the words of a `go` line (`go` itself first). RemoteProtocolError: unknown, repeated or bad limits."""
    values: dict[str, int] = {}
    infinite = False
    rest = iter(words)
    next(rest)
    for word in rest:
        if word == "infinite":
            if infinite:
                raise RemoteProtocolError("expected infinite once, got it twice")
            infinite = True
            continue
        if word not in _FIELDS:
            raise RemoteProtocolError(f"expected one of {', '.join(_FIELDS)}, infinite; got {quoted(word)}")
        field = _FIELDS[word][0]
        if field in values:
            raise RemoteProtocolError(f"expected {word} once, got it twice")
        values[field] = _read_value(word, next(rest, None))
    return Limit(**values, infinite=infinite)


def go_line(limit: Limit) -> str:
    """Return the `go` line of `limit`; LocalProtocolError for a number out of range."""
    words = ["go"]
    for word, (field, low, high) in _FIELDS.items():
        value = getattr(limit, field)
        if value is None:
            continue
        if not low <= value <= high:
            raise LocalProtocolError(f"expected {field} from {low} to {high}, got {value}")
        words += (word, str(value))
    if limit.infinite:
        words.append("infinite")
    return " ".join(words)
