"""The `go` line: the limit of a search."""

from protocol.errors import LocalProtocolError, RemoteProtocolError
from protocol.limit import MAX_DEPTH, MAX_MS, MAX_NODES, Limit
from protocol.words import number, quoted

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
    """Return the limit of the words of a `go` line (`go` itself first).

    Raises:
        RemoteProtocolError: A limit is unknown, repeated or out of range.
    """
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
    """Return the `go` line of `limit`.

    Raises:
        LocalProtocolError: A number is out of range.
    """
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
