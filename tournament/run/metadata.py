"""The keys of the metadata of a run, and the types of their values, which are JSON."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import datetime
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from fiedler.support.errors import printable
from fiedler.tournament.dispute import Dispute, WithdrawnDispute
from fiedler.tournament.pairing.chosen_player import Standing
from fiedler.tournament.pairing.plan import Decision
from fiedler.tournament.run.rows import row_name
from fiedler.tournament.schedule.schedule import NotNegative, PlayerEntry, Positive, Schedule

READMITTED = "readmitted"
"""Key of `meta`: readmitted player -> number of games finished before."""
OVER = "over"
"""Key of `meta`: the reason of the end, once all games are planned and played."""
DECISION = "decision"
"""Key of `meta`: the decision of a sequential test or a stopping rule."""
UNDECIDED = "undecided"
"""Key of `meta`: the number of steps of the plan after which nothing was decided."""
STANDING = "standing"
"""Key of `meta`: the chosen player of a goal after those steps."""
ABSENT = "absent"
"""Key of `meta`: player missing in the last run -> the reason."""
AWAY = "away"
"""Key of `meta`: player that dials in and is away -> since when, ISO 8601."""
ADDED = "added"
"""Key of `meta`: the players that were added by hand, as in `[[players]]`."""
ANNULLED = "annulled"
"""Key of `meta`: the records of annulled games, each with `at` and `why`."""
DISPUTES = "disputes"
"""Key of `meta`: the games without a result, whose players did not agree on the rules."""
WITHDRAWN = "withdrawn"
"""Key of `meta`: the disputes that count no more, each with `at` and `why`."""
CREDITS = "lag_credits"
"""Key of `meta`: player -> number of games with a lag credit, and the sum of their credits in ms per move."""
_Moment = Annotated[datetime, Meta(tz=True)]


class _Machine(Struct):
    cpu: str
    cores: int
    system: str
    python: str


class _Start(Struct):
    """The provenance of a manager; older runs have less of it."""

    at: _Moment | None = None
    version: str | None = None
    commit: str | None = None
    schedule: dict[str, Any] | None = None
    machine: _Machine | None = None


TYPES: dict[str, Any] = {
    "name": str,
    "game": str,
    "schedule": Schedule,
    "seed": int,
    "created": str,
    "version": str,
    "commit": str | None,
    "starts": list[_Start],
    OVER: str,
    DECISION: Decision,
    UNDECIDED: NotNegative,
    STANDING: Standing,
    READMITTED: dict[str, NotNegative],
    ABSENT: dict[str, str],
    AWAY: dict[str, str],
    ADDED: tuple[PlayerEntry, ...],
    ANNULLED: list[dict[str, Any]],
    DISPUTES: list[Dispute],
    WITHDRAWN: list[WithdrawnDispute],
    CREDITS: dict[str, tuple[Positive, Annotated[float, Meta(ge=0, le=1e18)]]],
}
"""Key -> the type of its value."""
NEEDED = ("name", "game", "schedule")


def wrong_metadata(rows: Iterable[tuple[str, str]]) -> str:
    """Return a row of the table `meta` with a value that no manager of this version writes; empty without one."""
    found = dict(rows)
    for key in NEEDED:
        if key not in found:
            return f"the table meta lacks the row {key!r}"
    wrong = ((key, _wrong(found[key], kind)) for key, kind in TYPES.items() if key in found)
    return next((f"{row_name('meta', key)}: {why}" for key, why in wrong if why), "")


def wrong_identity(rows: Iterable[tuple[int, str, str]]) -> str:
    """Return a row of the table `players` with an identity that no manager writes; empty without one."""
    wrong = ((place, _wrong(text, dict[str, Any])) for place, _, text in rows)
    return next((f"{row_name('players', place)}: identity: {why}" for place, why in wrong if why), "")


def _wrong(text: str, kind: object) -> str:
    """Return the error of a text that is not JSON of this type; empty if it is."""
    try:
        msgspec.convert(json.loads(text), kind)
    except (TypeError, ValueError, RecursionError) as error:  # msgspec's are some
        return printable(str(error))
    return ""
