"""The `info` line: the report of a search."""

import re

from fiedler.protocol.info import Info

_NUMBERS = {"depth": "depth", "nodes": "nodes", "nps": "nps", "time": "time_ms"}
_FIELDS = {**_NUMBERS, "score cp": "score_cp", "score mate": "mate"}
_VALUE = re.compile(rf" ({'|'.join(_FIELDS)}) (-?[0-9]{{1,19}})(?= |$)")
"""A number of 64 bits at most, and the words before it."""
_REST = re.compile(r" (pv|string)(?= |$)")
MOST_WORDS = 256
"""The words before the principal variation that are read: a line may have thousands, and each takes time."""


def read_info(words: list[str]) -> Info:
    """Read the words of an `info` line (`info` itself first); `pv` or `string` takes the rest of it.

    Unknown words, wrong numbers and words beyond MOST_WORDS are skipped: an info line never fails a player.
    """
    text = " ".join(words[:MOST_WORDS])
    rest = _REST.search(text)
    end = len(text) if rest is None else rest.start()
    pv = tuple(words[text.count(" ", 0, end) + 2 :]) if rest is not None and rest[1] == "pv" else ()
    values: dict[str, int] = {}
    for word, value in _VALUE.findall(text, 0, end):
        if value[0] != "-" or word not in _NUMBERS:
            values[_FIELDS[word]] = int(value)
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
