"""The words in which UGI and UCI differ."""

from collections.abc import Mapping
from dataclasses import dataclass

from fiedler.protocol.limit import MAX_DEPTH, MAX_MS, MAX_NODES

Bounds = tuple[str, int, int]
"""A field of Limit, its lowest and its highest value."""


def _limits(*clocks: str) -> dict[str, Bounds]:
    """Return the numbers of a `go` line: by its word the field of each.

    A zero depth, node count or move time is refused because engines commonly read 0 as "no limit" and would then never
    answer.
    """
    fields = ("p1time_ms", "p2time_ms", "p1inc_ms", "p2inc_ms")
    return {
        **{word: (field, 0, MAX_MS) for word, field in zip(clocks, fields, strict=True)},
        "movetime": ("movetime_ms", 1, MAX_MS),
        "depth": ("depth", 1, MAX_DEPTH),
        "nodes": ("nodes", 1, MAX_NODES),
    }


@dataclass(frozen=True, slots=True, eq=False)
class Vocabulary:
    """The words of a conversation. The tables of states call every message by its name in UGI."""

    hello: str
    """The first line of a client."""
    hello_answer: str
    """The end of the answer to it."""
    new_game: str
    """The announcement of another game."""
    no_move: str
    """The word in place of a move where there is none."""
    limits: Mapping[str, Bounds]
    """The numbers of a `go` line, in the order in which a client sends them."""
    unused: Mapping[str, Bounds]
    """Numbers of a `go` line that a server accepts without effect."""
    ignored: Mapping[str, tuple[str, ...]]
    """Commands that a server accepts without effect at any time after the first line, with their arguments."""

    def spelled(self, message: str) -> str:
        """Return the first word of a message that UGI names `message`."""
        return {"ugi": self.hello, "ugiok": self.hello_answer, "uginewgame": self.new_game}.get(message, message)


UGI = Vocabulary("ugi", "ugiok", "uginewgame", "none", _limits("p1time", "p2time", "p1inc", "p2inc"), {}, {})
UCI = Vocabulary(
    *("uci", "uciok", "ucinewgame", "(none)"),
    limits=_limits("wtime", "btime", "winc", "binc"),
    unused={"movestogo": ("moves_to_go", 0, MAX_MS)},
    ignored={"debug": ("on", "off")},
)
