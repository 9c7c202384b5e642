"""The games without a result that are not played, and the reasons."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence

from fiedler.tournament.dispute import Dispute
from fiedler.tournament.pairing.disputes import end_by_disputes, stopped_pairs
from fiedler.tournament.schedule.schedule import Schedule

BENCHED, DECIDED, ELSEWHERE, DISPUTED = 1, 2, 3, 4
"""Reasons for a game that has no result: its player was benched, the run was decided, another shard plays it, or its
players did not agree on the rules, in this game or in others.

All but those of another shard are given up.
"""
LOST = f"given_up IN ({BENCHED}, {DECIDED}, {DISPUTED})"
"""A condition of SQL: a game that is given up."""
_PAIR = "(json_extract(pair.value, '$[0]'), json_extract(pair.value, '$[1]'))"
_OF_STOPPED_PAIR = f"EXISTS (SELECT 1 FROM json_each(:stopped) AS pair WHERE first IN {_PAIR} AND second IN {_PAIR})"  # noqa: S608
_OF_BENCHED = "EXISTS (SELECT 1 FROM players WHERE benched IS NOT NULL AND players.name IN (first, second))"
_REASON = (
    f"CASE WHEN :over OR id IN (SELECT value FROM json_each(:disputed)) OR {_OF_STOPPED_PAIR} THEN {DISPUTED} "  # noqa: S608
    f"WHEN {_OF_BENCHED} THEN {BENCHED} ELSE 0 END"
)


def mark_given_up(database: sqlite3.Connection, schedule: Schedule, disputes: Sequence[Dispute]) -> None:
    """Give each game without a result the reason for which the benched players or the disputes end it, or none.

    A dispute is stronger than a bench: it stays after a readmission. Games of other shards, and those that a decision
    has given up, do not change.
    """
    values = {
        "over": bool(end_by_disputes(schedule, disputes)),
        "disputed": json.dumps([dispute.id for dispute in disputes]),
        "stopped": json.dumps([sorted(pair) for pair in stopped_pairs(disputes)]),
    }
    chosen = f"result IS NULL AND given_up NOT IN ({DECIDED}, {ELSEWHERE}) AND given_up != {_REASON}"
    database.execute(f"UPDATE games SET given_up = {_REASON}, seal = NULL WHERE {chosen}", values)  # noqa: S608
