"""The `info` line: the report of a search."""

from protocol.info import Info
from protocol.words import number

_NUMBERS = {"depth": "depth", "nodes": "nodes", "nps": "nps", "time": "time_ms"}
_SCORES = {"cp": "score_cp", "mate": "mate"}
MOST_WORDS = 256
"""The words before the principal variation that are read: a line may have thousands, and each takes time."""


def read_info(words: list[str]) -> Info:
    """Read the words of an `info` line (`info` itself first); `pv` or `string` takes the rest of it.

    Unknown words, wrong numbers and words beyond MOST_WORDS are skipped: an info line never fails a player.
    """
    values: dict[str, int] = {}
    pv: tuple[str, ...] = ()
    for at in range(1, min(len(words), MOST_WORDS)):
        word = words[at]
        if word in {"pv", "string"}:
            pv = tuple(words[at + 1 :]) if word == "pv" else ()
            break
        # `score` itself has no value; `cp` or `mate` after it has one
        field = _SCORES.get(word) if words[at - 1] == "score" else _NUMBERS.get(word)
        value = number(words[at + 1]) if field and at + 1 < len(words) else None
        if field and value is not None and (value >= 0 or word in _SCORES):
            values[field] = value
    return Info(**values, pv=pv)


def info_line(info: Info) -> str:
    """Return the `info` line of `info`. A mate score replaces `cp`: it is more precise."""
    words = ["info"]
    for word, field in _NUMBERS.items():
        value = getattr(info, field)
        if value is not None:
            words += (word, str(value))
    if info.mate is not None:
        words += ("score", "mate", str(info.mate))
    elif info.score_cp is not None:
        words += ("score", "cp", str(info.score_cp))
    if info.pv:
        words += ("pv", *info.pv)
    return " ".join(words)
