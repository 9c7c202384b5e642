"""The shards of a run, joined to the run that one machine would have played: `tournament merge`."""

from __future__ import annotations

import sqlite3
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from fiedler.support import stages
from fiedler.support.errors import UsageError
from fiedler.tournament.pairing import Over, planner
from fiedler.tournament.run.event_log import EventLog
from fiedler.tournament.run.given_up import ELSEWHERE, mark_given_up
from fiedler.tournament.run.journal import Journal
from fiedler.tournament.run.metadata import ANNULLED, CREDITS, DISPUTES, OVER, READMITTED, WITHDRAWN
from fiedler.tournament.run.records import PLANNED
from fiedler.tournament.run.run_file import NoRunError
from fiedler.tournament.run.run_folder import SCHEDULE_FILE, RunFolder
from fiedler.tournament.run.schema import SEALED
from fiedler.tournament.run.shards import Part, parts_of
from fiedler.tournament.run.store import Store
from fiedler.tournament.schedule.sharding import whole

FROM_FIRST = ("steps", "pairs", "openings", "players")
"""The tables that are the same in all shards, but for benched players."""
SUMMED = (CREDITS, READMITTED, ANNULLED, DISPUTES, WITHDRAWN)
"""Keys of the metadata that are made of those of all shards."""


class Merged(Struct, frozen=True):
    """A merged run: the shards that are missing, and the versions that played the others."""

    missing: tuple[str, ...]
    """Their names, such as `7/16`."""
    games: int
    """The number of their games."""
    planned: int
    """The number of games of the whole plan."""

    versions: tuple[str, ...]
    """The versions of Fiedler, with their commits."""

    @property
    def warnings(self) -> list[str]:
        """The sentences about missing games and different versions."""
        found = []
        if self.missing:
            which = f"shard{'s' if len(self.missing) > 1 else ''} {', '.join(self.missing)}"
            found.append(f"{self.games:,} of {self.planned:,} games are missing: {which}")
        if len(self.versions) > 1:
            found.append(f"{len(self.versions)} versions of Fiedler played the shards: {'; '.join(self.versions)}")
        return found


def merge(out: Path, folders: Sequence[Path]) -> Merged:
    """Make the run of the whole plan in the folder `out`, with the games of these shards; each counts once.

    One transaction: either all of it is there or nothing.

    Raises:
        UsageError: there is a run in `out`, or these are not finished shards of the same run, each once.
        WorkError: the disk is full or broken.

    """
    _refuse_run(out)
    parts = parts_of(folders)
    with RunFolder(out) as place:
        merged = _write(place.journal, parts)
        with EventLog(out) as log:
            log.complete(place.journal)
        source = parts[0].folder / SCHEDULE_FILE
        if source.is_file():
            place.keep_schedule(source)
    return merged


def _refuse_run(out: Path) -> None:
    try:
        Store.open_again(out).close()
    except NoRunError:
        return
    raise UsageError(f"{out}: expected a new folder, it has a run: choose another one, or move it away")


def _write(journal: Journal, parts: Sequence[Part]) -> Merged:
    starts = _starts(parts)
    schedule = whole(parts[0].schedule)
    meta = {"schedule": msgspec.to_builtins(schedule), "starts": [start for start, *_ in starts]}
    meta |= {"name": schedule.tournament.name, **_origin(parts, starts), **_summed(parts)}
    stages.begin("merging the shards", len(parts))
    with journal.making(meta) as database:
        _copy_plan(database, parts[0])
        for place, part in enumerate(parts):
            numbers = {number: at for at, (_, owner, number) in enumerate(starts, start=1) if owner == place}
            _copy_games(database, part, numbers)
            stages.step()
        _bench(database, parts)
        mark_given_up(database, schedule, journal.disputes)
        merged = _missing(database, parts)
        step = planner(schedule).next_step(journal.history())
        if isinstance(step, Over) and not merged.missing:
            journal.put(OVER, step.why)
    return merged


def _starts(parts: Sequence[Part]) -> list[tuple[Mapping[str, Any], int, int]]:
    """Return the starts of all managers by their times, each with the place of its shard and its number there."""
    found = [
        ({key: value for key, value in start.items() if key != "schedule"}, place, number)
        for place, part in enumerate(parts)
        for number, start in enumerate(part.meta["starts"], start=1)
    ]
    return sorted(found, key=lambda one: (one[0]["at"], *one[1:]))


def _origin(parts: Sequence[Part], starts: Sequence[tuple[Mapping[str, Any], int, int]]) -> dict[str, Any]:
    """Return the metadata about the beginning, of the shard that began first."""
    _, first, _ = starts[0]
    return {key: parts[first].meta[key] for key in ("game", "seed", "created", "version", "commit")}


def _summed(parts: Sequence[Part]) -> dict[str, Any]:
    """Return the metadata that all shards contribute to, without empty ones.

    The failures of a player that was readmitted in a shard are forgiven in all of them.
    """
    games, totals = Counter[str](), Counter[str]()
    for part in parts:
        for name, (number, total) in part.meta.get(CREDITS, {}).items():
            games[name] += number
            totals[name] += total
    finished = sum(part.finished for part in parts)
    found: dict[str, Any] = {
        CREDITS: {name: (games[name], round(totals[name], 3)) for name in games},
        READMITTED: {name: finished for part in parts for name in part.meta.get(READMITTED, {})},
    }
    for key in (ANNULLED, DISPUTES, WITHDRAWN):
        of_all = [one for part in parts for one in part.meta.get(key, [])]
        found[key] = sorted(of_all, key=lambda one: str(one["at"]))
    return {key: value for key, value in found.items() if value}


def _copy_plan(database: sqlite3.Connection, part: Part) -> None:
    """Write the whole plan, without results."""
    with Store.open_again(part.folder) as store:
        for table in FROM_FIRST:
            _insert(database, table, SEALED[table], store.rows(table, SEALED[table]))
        _insert(database, "games", PLANNED, store.rows("games", PLANNED))
    database.execute("UPDATE players SET benched = NULL")


def _copy_games(database: sqlite3.Connection, part: Part, starts: Mapping[int, int]) -> None:
    """Write the games of a shard; `starts` maps the numbers of its starts to those of the merged run.

    The node of a game is its shard, followed by its node there if the shard was played in a cluster: every shard has a
    node `n1`.
    """
    node = f"shard {part.shard}"
    with Store.open_again(part.folder) as store:
        for table, given in (("games", f"given_up != {ELSEWHERE}"), ("void_attempts", "TRUE")):
            columns = SEALED[table].removeprefix("place, ").split(", ")
            rows = [dict(zip(columns, row, strict=True)) for row in store.rows(table, ", ".join(columns), given)]
            for row in rows:
                if row["start"]:
                    row |= {"start": starts[row["start"]], "node": f"{node} {row['node']}".rstrip()}
            _insert(database, table, ", ".join(columns), [tuple(row.values()) for row in rows])


def _insert(database: sqlite3.Connection, table: str, columns: str, rows: Sequence[Sequence[Any]]) -> None:
    values = ", ".join("?" for _ in columns.split(", "))
    database.executemany(f"INSERT OR REPLACE INTO {table} ({columns}) VALUES ({values})", rows)  # noqa: S608


def _bench(database: sqlite3.Connection, parts: Sequence[Part]) -> None:
    """Bench the players that a shard has benched."""
    for part in parts:
        for name, why in part.benched.items():
            sql = "UPDATE players SET benched = ? WHERE name = ? AND benched IS NULL"
            database.execute(sql, (f"{why} (shard {part.shard})", name))


def _missing(database: sqlite3.Connection, parts: Sequence[Part]) -> Merged:
    of, known = parts[0].shard.of, {part.shard.number for part in parts}
    numbers = [number for number in range(1, of + 1) if number not in known]
    planned = database.execute("SELECT count(*) FROM games").fetchone()[0]
    games = sum(len(range(number, planned + 1, of)) for number in numbers)
    return Merged(tuple(f"{number}/{of}" for number in numbers), games, planned, _versions(parts))


def _versions(parts: Sequence[Part]) -> tuple[str, ...]:
    starts = [start for part in parts for start in part.meta["starts"]]
    return tuple(dict.fromkeys(f"{start['version']}, commit {start['commit'] or 'unknown'}" for start in starts))
