"""The lines of an engine about itself and its searches."""

import re
from collections.abc import Callable

from fiedler.protocol.gomocup.words import MESSAGE
from fiedler.protocol.host import Host
from fiedler.protocol.info import Info

_SCORE = re.compile(r"(score|mate) ([+-]?\d{1,6})\b", re.ASCII)


def about(host: Host) -> str:
    """Return the answer to ABOUT. Quotation marks in a value become apostrophes."""
    entries = {"name": host.name, "version": host.version, "author": host.author, "country": ""}
    return ", ".join(f'{key}="{value.replace(chr(34), chr(39))}"' for key, value in entries.items())


def report(info: Info, point: Callable[[str], str]) -> str:
    """Return the message about a search; `point` names its moves."""
    figures = [_score(info)]
    for name, value in (("depth", info.depth), ("nodes", info.nodes), ("nps", info.nps), ("ms", info.time_ms)):
        if value is not None:
            figures.append(f"{name} {value}")
    if info.pv:
        figures.append(f"pv {' '.join(map(point, info.pv))}")
    return f"{MESSAGE} {' '.join(figures)}"


def read_report(text: str) -> Info | None:
    """Return the score in a message of ours; None for any other message."""
    found = _SCORE.match(text)
    if not found:
        return None
    value = int(found[2])
    return Info(mate=value) if found[1] == "mate" else Info(score_cp=value)


def _score(info: Info) -> str:
    if info.mate is not None:
        return f"mate {info.mate}"
    return "score unknown" if info.score_cp is None else f"score {info.score_cp:+d}"
