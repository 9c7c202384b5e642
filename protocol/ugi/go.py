"""The `go` line: the limit of a search."""

from fiedler.protocol.errors import LocalProtocolError, RemoteProtocolError
from fiedler.protocol.limit import Limit
from fiedler.protocol.ugi.vocabulary import UGI, Bounds, Vocabulary
from fiedler.protocol.words import number, quoted


def _read_value(word: str, bounds: Bounds, text: str | None) -> int:
    _, low, high = bounds
    value = None if text is None else number(text)
    if value is None or not low <= value <= high:
        got = "nothing" if text is None else quoted(text)
        raise RemoteProtocolError(f"expected a whole number from {low} to {high} after {word}, got {got}")
    return value


def read_go(words: list[str], vocabulary: Vocabulary = UGI) -> Limit:
    """Return the limit of the words of a `go` line (`go` itself first).

    Raises:
        RemoteProtocolError: A limit is unknown, repeated or out of range.
    """
    fields = {**vocabulary.limits, **vocabulary.unused}
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
        if word not in fields:
            raise RemoteProtocolError(f"expected one of {', '.join(fields)}, infinite; got {quoted(word)}")
        field = fields[word][0]
        if field in values:
            raise RemoteProtocolError(f"expected {word} once, got it twice")
        values[field] = _read_value(word, fields[word], next(rest, None))
    for field, *_ in vocabulary.unused.values():
        values.pop(field, None)
    return Limit(**values, infinite=infinite)


def go_line(limit: Limit, vocabulary: Vocabulary = UGI) -> str:
    """Return the `go` line of `limit`.

    Raises:
        LocalProtocolError: A number is out of range.
    """
    words = ["go"]
    for word, (field, low, high) in vocabulary.limits.items():
        value = getattr(limit, field)
        if value is None:
            continue
        if not low <= value <= high:
            raise LocalProtocolError(f"expected {field} from {low} to {high}, got {value}")
        words += (word, str(value))
    if limit.infinite:
        words.append("infinite")
    return " ".join(words)
