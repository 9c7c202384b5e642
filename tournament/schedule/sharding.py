"""A schedule whose games several machines share: each of them plays a shard of the plan."""

from __future__ import annotations

import re

import msgspec

from fiedler.support.errors import UsageError
from fiedler.support.text import listed
from fiedler.tournament.schedule.methods import METHODS
from fiedler.tournament.schedule.schedule import Schedule, Shard

MOST_SHARDS = 1000
_FORM = re.compile(r"([0-9]{1,4})/([0-9]{1,4})")


def sharded(schedule: Schedule, text: str) -> Schedule:
    """Return a schedule that plays a shard of its games, `3/16`, as a run of its own: `NAME.shard-3-of-16`.

    Raises:
        UsageError: this is not a shard, or the plan of the schedule depends on results.

    """
    number, of = _numbers(text)
    if why := _dependence(schedule):
        raise UsageError(f"--shard: {schedule.file}: {why}")
    run = schedule.tournament.name
    tournament = msgspec.structs.replace(schedule.tournament, name=f"{run}.shard-{number}-of-{of}")
    return msgspec.structs.replace(schedule, tournament=tournament, shard=Shard(number=number, of=of, run=run))


def whole(schedule: Schedule) -> Schedule:
    """Return the schedule of the whole run that a shard is a part of."""
    assert schedule.shard is not None
    tournament = msgspec.structs.replace(schedule.tournament, name=schedule.shard.run)
    return msgspec.structs.replace(schedule, tournament=tournament, shard=None)


def _numbers(text: str) -> tuple[int, int]:
    if found := _FORM.fullmatch(text):
        number, of = map(int, found.groups())
        if 1 <= number <= of <= MOST_SHARDS:
            return number, of
    raise UsageError(f"--shard: expected I/N with 1 ≤ I ≤ N ≤ {MOST_SHARDS}, as 3/16, got {text!r}")


def _dependence(schedule: Schedule) -> str:
    """Return the reason that no shard can be played alone; empty if there is none."""
    kind = schedule.pairing.kind
    if not kind.fixed:
        fixed = listed([name for name in METHODS if METHODS[name].fixed])
        plan = f"pairing.method: expected a method with a fixed plan ({fixed})"
        return f"{plan}, got {kind.name!r}, whose plan needs the results of all games"
    if schedule.pairing.stop is not None:
        return "pairing.stop: expected none, since its decision needs the results of all games"
    if any(player.discover for player in schedule.players):
        return "players.discover: expected none, since the engines found may differ from shard to shard"
    return ""
