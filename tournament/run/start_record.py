"""The start of a manager in the journal: the plan, the provenance of its games, the missing players."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from fiedler.support.errors import WorkError
from fiedler.support.provenance import commit, machine, release
from fiedler.tournament.game import now
from fiedler.tournament.run.absentees import Absentees
from fiedler.tournament.run.continuation import identities
from fiedler.tournament.run.draft import Draft
from fiedler.tournament.run.journal import Journal
from fiedler.tournament.run.run_folder import RunFolder
from fiedler.tournament.schedule.schedule import Schedule


def record_absent(place: RunFolder, absentees: Absentees) -> None:
    """Write the missing players, if they have changed; raises WorkError."""
    if place.journal.absent != absentees.why:
        with explained(place.folder):
            place.journal.record_absent(absentees.why)


def write_plan(
    schedule: Schedule,
    place: RunFolder,
    drafted: Draft,
    source: Path,
    readmit: Sequence[str],
    *,
    fresh: bool,
    plays: bool,
) -> None:
    """Write the draft, and if games are played, rated or judged differently, also the start with its provenance.

    `source` is the file of the schedule; the players in `readmit` have answered.

    Raises:
        WorkError: the disk is full or broken.

    """
    if fresh:
        place.start_anew()
    with explained(place.folder):
        if plays or readmit or drafted.reopened or schedule.rating != place.journal.schedule.rating:
            for name in readmit:
                place.journal.readmit(name)
            _record_start(schedule, place.journal)
            drafted.write(place.journal)
            place.keep_schedule(source)
        else:
            drafted.write(place.journal)


def _record_start(schedule: Schedule, journal: Journal) -> None:
    start = _provenance(schedule)
    starts = [] if journal.is_new else journal.starts
    meta = {"schedule": start["schedule"], "starts": [*starts, start]}
    if not starts:
        meta |= {"name": schedule.tournament.name, "game": schedule.tournament.game, "seed": schedule.tournament.seed}
        meta |= {"created": start["at"], "version": start["version"], "commit": start["commit"]}
    journal.record_start(meta, identities(schedule))


@contextlib.contextmanager
def explained(folder: Path) -> Iterator[None]:
    """Turn the errors of a full or broken disk into a WorkError."""
    try:
        yield
    except (sqlite3.DatabaseError, OSError) as error:
        raise WorkError(f"{folder}: the plan cannot be written: {error}") from error


def _provenance(schedule: Schedule) -> dict[str, Any]:
    """Return the provenance of the games from now on."""
    return {
        "at": now(),
        "version": release(),
        "commit": commit(),
        "machine": machine(),
        "schedule": msgspec.to_builtins(schedule),
    }
