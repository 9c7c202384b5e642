"""Games that several sources of a ranking have in common: each may count once."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from fiedler.support import text_file
from fiedler.tournament.ratings.results import Results

Key = tuple[str, str, str]
"""GameId, UTCDate and UTCTime of a game, as in the tags of PGN."""
TAGS = ("GameId", "UTCDate", "UTCTime")
TAG = re.compile(rb'\[(Event|GameId|UTCDate|UTCTime) "([^"\\]*)"\]')


MOST_SEARCHED = 1 << 25
"""The largest file that is searched for games that it has twice, in bytes: half a second of work."""


def keys_of_pgn(path: Path) -> set[Key]:
    """Return the keys of the games that have all three tags, as those of our own runs do."""
    return set(_keys(path))


def repeated_in_pgn(path: Path) -> int:
    """Return the number of games that a file has again, as two exports of one run in one file; 0 for a large file."""
    if path.stat().st_size > MOST_SEARCHED:
        return 0
    times = Counter(_keys(path))
    return times.total() - len(times)


def keys_of_run(games: Iterable[tuple[str, str]]) -> set[Key]:
    """Return the keys of games given by id and start, a time in ISO 8601."""
    keys = set()
    for game_id, started in games:
        date, _, clock = started.partition("T")
        if clock:
            keys.add((game_id, date.replace("-", "."), clock[:8]))
    return keys


def digest(path: Path) -> bytes:
    """Return a hash of the content of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").digest()


def same_results(one: Results, other: Results) -> bool:
    """Return whether every ordered pair of players has the same results in both."""
    return _by_pair(one) == _by_pair(other)


def _by_pair(results: Results) -> dict[tuple[str, str], tuple[int, ...]]:
    found: dict[tuple[str, str], tuple[int, ...]] = {}
    for first, second, *counts in results.rows:
        pair = results.names[first], results.names[second]
        found[pair] = tuple(map(sum, zip(found.get(pair, (0, 0, 0)), counts, strict=True)))
    return found


def _keys(path: Path) -> Iterator[Key]:
    tags: dict[bytes, str] = {}
    for name, value in _tags(path):
        if name == b"Event":
            tags.clear()
        is_new = name not in tags
        tags[name] = value
        if is_new and len(tags.keys() - {b"Event"}) == len(TAGS):
            yield tags[b"GameId"], tags[b"UTCDate"], tags[b"UTCTime"]


def _tags(path: Path) -> Iterator[tuple[bytes, str]]:
    rest = b""
    for block in text_file.blocks(path):
        whole, end, rest = (rest + block).rpartition(b"\n")
        for tag in TAG.finditer(whole + end):
            yield tag[1], tag[2].decode("latin-1")
    for tag in TAG.finditer(rest):
        yield tag[1], tag[2].decode("latin-1")
