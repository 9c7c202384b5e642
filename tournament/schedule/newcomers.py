"""Players that are added to a run: a file of them, and the schedule with them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from fiedler.support.complaints import Complaints
from fiedler.support.toml import TomlFile
from fiedler.tournament.schedule.schedule import Pairing, PlayerEntry, Schedule
from fiedler.tournament.schedule.size import check_size
from fiedler.tournament.schedule.validation import CHECKS, NAMED_BY, expanded


class Newcomers(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A file of players."""

    players: tuple[PlayerEntry, ...]


def with_players(schedule: Schedule, path: Path) -> Schedule:
    """Return a checked schedule with more players, from a file with tables `[[players]]`.

    Relative paths in it start from the folder of the schedule.

    Raises:
        UsageError: the file cannot be read, or has invalid values, each in a line.

    """
    file = TomlFile(path, NAMED_BY)
    raw = file.parse()
    file.refuse_unknown(raw, Newcomers)
    found = file.convert(raw, Newcomers)
    complaints = Complaints(file.line)
    folder = Path(schedule.folder)
    new = expanded(found.players, folder, file, None, complaints)
    extended = extended_by(schedule, new)
    with complaints.gathered():
        check_size(extended)
    for check in CHECKS:
        complaints.add(check(extended))
    complaints.end()
    return extended


def extended_by(schedule: Schedule, new: Sequence[PlayerEntry]) -> Schedule:
    """Return a schedule with more players; the number of pairs, or of games, grows in proportion."""
    if not new:
        return schedule
    pairing = _grown(schedule.pairing, len(schedule.players), len(new))
    return msgspec.structs.replace(schedule, players=(*schedule.players, *new), pairing=pairing)


def _grown(pairing: Pairing, before: int, more: int) -> Pairing:
    after, changes = before + more, dict[str, int]()
    if pairing.pairs is not None:
        is_complete = pairing.pairs == before * (before - 1) // 2
        share = after * (after - 1) // 2 if is_complete else round(pairing.pairs * after / before)
        changes["pairs"] = max(pairing.pairs + more, share)
    if pairing.games is not None:
        changes["games"] = 2 * round(pairing.games * after / before / 2)
    return msgspec.structs.replace(pairing, **changes)
