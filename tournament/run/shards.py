"""Finished shards of a run, refused unless all of them are parts of the same plan."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from fiedler.support import stages
from fiedler.support.errors import UsageError, quoted_input
from fiedler.tournament.run.records import OPENING, PLANNED
from fiedler.tournament.run.store import Store
from fiedler.tournament.schedule.schedule import Schedule, Shard
from fiedler.tournament.schedule.sharding import whole

OF_THE_MACHINE = ("tournament.concurrency", "tournament.pin", "folder", "file")
"""Keys of a schedule that may differ between shards."""
PATHS = ("model", "token_file", "ca")
"""Keys of a player with paths of a machine; the identities of players compare the contents of models."""
PLAN = {"steps": "number, note", "pairs": "place, a, b, target", "openings": f"place, {OPENING}", "games": PLANNED}
"""Table of the plan -> the columns that are the same in all shards."""


class Part(Struct, frozen=True):
    """A finished shard."""

    folder: Path
    schedule: Schedule
    shard: Shard
    meta: dict[str, Any]
    benched: dict[str, str]
    finished: int
    """The number of its finished games."""


def parts_of(folders: Sequence[Path]) -> list[Part]:
    """Return the finished shards in these folders by their numbers.

    Raises:
        UsageError: one of them is damaged, not finished, given twice, or of another schedule or plan than the first.

    """
    _refuse_repeated(folders)
    parts: dict[int, Part] = {}
    expected: dict[str, object] = {}
    stages.begin("checking the shards", len(folders))
    for folder in folders:
        with Store.open(folder) as store:
            part = _part(store)
            if (same := parts.get(part.shard.number)) is not None and same.shard.of == part.shard.of:
                raise UsageError(f"{folder}: shard {part.shard} is given twice, the other one is {same.folder}")
            facts = dict(_facts(store, part))
        expected = expected or facts
        _refuse_difference(folder, facts, folders[0], expected)
        parts[part.shard.number] = part
        stages.step()
    return [parts[number] for number in sorted(parts)]


def _refuse_repeated(folders: Sequence[Path]) -> None:
    seen = set[Path]()
    for folder in folders:
        if (place := folder.resolve()) in seen:
            raise UsageError(f"{folder} is given twice")
        seen.add(place)


def _part(store: Store) -> Part:
    schedule, counts, state = store.schedule, store.counts, store.state
    if schedule.shard is None:
        raise UsageError(f"{store.folder}: expected a shard of `tournament run --shard`, got a whole run")
    if state == "running":
        raise UsageError(f"{store.folder}: shard {schedule.shard} is being played: merge it once it has ended")
    if state != "finished":
        missing = f"{counts.left:,} of {counts.scheduled:,} games are missing"
        raise UsageError(f"{store.folder}: shard {schedule.shard} is unfinished: {missing}; resume it: {store.command}")
    return Part(store.folder, schedule, schedule.shard, store.meta, store.benched, counts.finished)


def _facts(store: Store, part: Part) -> Iterator[tuple[str, object]]:
    """Yield what all shards of a run have in common: name -> value."""
    yield "number of shards", part.shard.of
    schedule = msgspec.to_builtins(whole(part.schedule))
    players = schedule.pop("players")
    yield from ((key, value) for key, value in _flat(schedule) if key not in OF_THE_MACHINE)
    yield "players", list(part.schedule.names)
    for player in players:
        rest = {key: value for key, value in player.items() if key not in PATHS}
        yield from _flat(rest, f"players {player['name']!r}.")
    for name, identity in store.identities.items():
        yield from _flat(identity, f"players {name!r}.")
    for table, columns in PLAN.items():
        yield from ((f"{table[:-1]} {place}", rest) for place, *rest in store.rows(table, columns))


def _flat(table: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, object]]:
    for key, value in table.items():
        if isinstance(value, dict) and key != "options":
            yield from _flat(value, f"{before}{key}.")
        else:
            yield f"{before}{key}", value


def _refuse_difference(folder: Path, found: Mapping[str, object], first: Path, expected: Mapping[str, object]) -> None:
    for key in _keys(expected, found):
        if (was := expected.get(key)) != (now := found.get(key)):
            raise UsageError(f"{folder}: {key}: expected {_shown(was)} as in {first}, got {_shown(now)}")


def _keys(*many: Iterable[str]) -> Iterable[str]:
    return dict.fromkeys(key for keys in many for key in keys)


def _shown(value: object) -> str:
    """Return a value for a message: short, and printable."""
    if isinstance(value, list):
        value = ", ".join(map(str, value))
    return "none" if value is None else quoted_input(str(value))
