"""The store of a run: one SQLite file that survives a SIGKILL at any moment.

WAL and synchronous=FULL; one writer, guarded by the lock of the run's folder. A finished game is written within one
transaction: either all of it is there or nothing.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Collection, Iterator
from datetime import datetime
from typing import Any

import msgspec

from fiedler.games.openings import Opening
from fiedler.games.result import Result
from fiedler.support.lock import is_locked
from fiedler.tournament.dispute import Dispute, WithdrawnDispute
from fiedler.tournament.game import GameRecord, PlannedGame
from fiedler.tournament.pairing.chosen_player import Standing
from fiedler.tournament.pairing.plan import Decision, History, Played
from fiedler.tournament.run.database import RunDatabase
from fiedler.tournament.run.given_up import BENCHED, DISPUTED, ELSEWHERE, LOST
from fiedler.tournament.run.metadata import (
    ABSENT,
    ADDED,
    ANNULLED,
    AWAY,
    CREDITS,
    DECISION,
    DISPUTES,
    OVER,
    READMITTED,
    STANDING,
    UNDECIDED,
    WITHDRAWN,
)
from fiedler.tournament.run.records import (
    OPENING,
    PLANNED,
    RECORD,
    Counts,
    GameFilter,
    PlannedStep,
    opening_of,
    planned_of,
    record_of,
)
from fiedler.tournament.run.run_file import results_option
from fiedler.tournament.run.schema import PLACED
from fiedler.tournament.schedule.goal_keys import with_plan
from fiedler.tournament.schedule.schedule import ML, UNNAMED, PlayerEntry, Schedule
from fiedler.tournament.termination import Termination

AT_A_TIME = 500
"""Games of one read."""


class Store(RunDatabase):
    """A run for its readers. A context manager; a manager may write at the same time."""

    def rows(self, table: str, columns: str, given: str = "TRUE") -> list[tuple[Any, ...]]:
        """Return the values of these columns of a table in the order of the first one, with a condition of SQL."""
        return self._rows(f"SELECT {self._columns(columns)} FROM {table} WHERE {given} ORDER BY 1")  # noqa: S608

    def games(self) -> list[GameRecord]:
        """Return the finished games in the order of the schedule, all in memory; see `each_game`."""
        return list(self.each_game())

    def each_game(self) -> Iterator[GameRecord]:
        """Yield the finished games in the order of the schedule.

        A few at a time are in memory, and the file is locked only while they are read.
        """
        last, rows = 0, [()]
        while rows:
            chosen = "result IS NOT NULL AND number > ? ORDER BY number LIMIT ?"
            sql = f"SELECT {self._columns(RECORD)} FROM games WHERE {chosen}"  # noqa: S608
            rows = self._rows(sql, (last, AT_A_TIME))
            for row in rows:
                game = record_of(row)
                last = game.number
                yield game

    @property
    def finished(self) -> list[int]:
        """The numbers of the finished games, in order."""
        return [number for (number,) in self._rows("SELECT number FROM games WHERE result IS NOT NULL ORDER BY number")]

    @property
    def results(self) -> list[tuple[str, str, str, int]]:
        """First player, second player, result and number of games with it, by first appearance."""
        sql = "SELECT first, second, result, count(*) FROM games WHERE result IS NOT NULL"
        return self._rows(f"{sql} GROUP BY first, second, result ORDER BY min(number)")

    @property
    def results_by_node(self) -> list[tuple[str, str, str, str, int]]:
        """As `results`, with the node first; empty: the machine of the manager."""
        if self._rows("PRAGMA user_version")[0][0] < PLACED:
            return [("", *row) for row in self.results]
        sql = "SELECT node, first, second, result, count(*) FROM games WHERE result IS NOT NULL"
        return self._rows(f"{sql} GROUP BY node, first, second, result ORDER BY min(number)")

    @property
    def voids(self) -> list[tuple[int, str, str, int, str]]:
        """Games with void attempts: number, first, second, number of void attempts, and the last known reason."""
        known = self._rows("PRAGMA user_version")[0][0] >= PLACED
        why = "SELECT why FROM void_attempts WHERE game = id ORDER BY attempt DESC LIMIT 1" if known else "SELECT NULL"
        columns = f"number, first, second, voids, coalesce(({why}), '')"
        return self._rows(f"SELECT {columns} FROM games WHERE voids > 0 ORDER BY number")  # noqa: S608

    @property
    def attempts(self) -> dict[str, int]:
        """Id of a game -> number of attempts, of the games that were begun."""
        return dict(self._rows("SELECT id, attempts FROM games WHERE attempts > 0"))

    def game(self, number: int) -> GameRecord | None:
        """Return a finished game; None if there is none with this number."""
        sql = f"SELECT {self._columns(RECORD)} FROM games WHERE result IS NOT NULL AND number = ?"  # noqa: S608
        rows = self._rows(sql, (number,))
        return record_of(rows[0]) if rows else None

    def planned_game(self, number: int) -> PlannedGame | None:
        """Return a game of the plan, finished or not; None if there is none with this number."""
        rows = self._rows(f"SELECT {self._columns(PLANNED)} FROM games WHERE number = ?", (number,))  # noqa: S608
        return planned_of(rows[0]) if rows else None

    def number_of(self, game: str) -> int:
        """Return the number of the game with this id; 0 if there is none."""
        rows = self._rows("SELECT number FROM games WHERE id = ?", (game,))
        return int(rows[0][0]) if rows else 0

    def select(self, chosen: GameFilter, offset: int = 0, most: int = AT_A_TIME) -> tuple[int, list[GameRecord]]:
        """Return the number of finished games that were chosen, and `most` of them, the last numbers first."""
        where, values = chosen.condition()
        (count,) = self._rows(f"SELECT count(*) FROM games WHERE {where}", values)[0]  # noqa: S608
        sql = f"SELECT {self._columns(RECORD)} FROM games WHERE {where} ORDER BY number DESC LIMIT ? OFFSET ?"  # noqa: S608
        return count, [record_of(row) for row in self._rows(sql, (*values, most, offset))]

    def results_of(self, chosen: GameFilter) -> list[tuple[str, str, str, str, int]]:
        """Return first player, second player, result, termination and number of the finished games that were chosen."""
        where, values = chosen.condition()
        columns = "first, second, result, termination"
        return self._rows(f"SELECT {columns}, count(*) FROM games WHERE {where} GROUP BY {columns}", values)  # noqa: S608

    @property
    def pair_games(self) -> list[tuple[str, str, int]]:
        """Two players and the number of their scheduled games, finished or not."""
        sql = "SELECT min(first, second) AS a, max(first, second) AS b, count(*) FROM games WHERE NOT given_up"
        return self._rows(f"{sql} GROUP BY a, b ORDER BY min(number)")

    def planned(self) -> list[PlannedGame]:
        """Return all scheduled games, finished or not, in order."""
        return [
            planned_of(row)
            for row in self._rows(f"SELECT {self._columns(PLANNED)} FROM games ORDER BY number")  # noqa: S608
        ]

    def unplayed(self, *, reopened: bool = False) -> list[PlannedGame]:
        """Return the scheduled games without a result, in order; with `reopened` as if nothing had been decided."""
        kept = f"NOT {_lost(reopened=reopened)} AND given_up != {ELSEWHERE}"
        sql = f"SELECT {self._columns(PLANNED)} FROM games WHERE result IS NULL AND {kept} ORDER BY number"  # noqa: S608
        return [planned_of(row) for row in self._rows(sql)]

    @property
    def decision(self) -> Decision | None:
        """The final decision of a sequential test or a stopping rule, if there is one."""
        found = self.meta.get(DECISION)
        return None if found is None else msgspec.convert(found, Decision)

    @property
    def standing(self) -> Standing | None:
        """The chosen player of a goal, where it was judged last before a step was planned, or the run ended."""
        return msgspec.convert(self.meta.get(STANDING), Standing | None)

    @property
    def over(self) -> str:
        """The reason of the end; empty as long as more games may be played."""
        return str(self.meta.get(OVER, ""))

    @property
    def meta(self) -> dict[str, Any]:
        """The metadata of the run, decoded from JSON.

        name, game, seed; created, version and commit of the first start; the schedule of the last; all `starts`; `over`
        at the end of the plan; `decision`, `undecided` and `standing` of a run with something to decide.
        """
        return {key: json.loads(value) for key, value in self._meta_rows()}

    @property
    def starts(self) -> list[dict[str, Any]]:
        """The provenance of each manager that had games to play: at, version, commit, schedule."""
        meta = self.meta
        first = {"at": meta.get("created"), **{key: meta.get(key) for key in ("version", "commit", "schedule")}}
        return meta.get("starts") or [first]  # older runs have no list

    @property
    def schedule(self) -> Schedule:
        """The resolved schedule of the last `tournament run`; runs of before the key `plan` were planned by `ml`."""
        return with_plan(msgspec.convert(self.meta["schedule"], Schedule), ML)

    @property
    def players(self) -> tuple[str, ...]:
        """The names of the players, in the order of their addition."""
        return tuple(name for (name,) in self._rows("SELECT name FROM players ORDER BY place"))

    @property
    def identities(self) -> dict[str, Any]:
        """The identity of each player, by name."""
        return {name: json.loads(text) for _, name, text in self._identity_rows()}

    @property
    def pairs(self) -> tuple[tuple[str, str], ...]:
        """The pairs that meet; the first name of each moves first in their first game."""
        return tuple((a, b) for a, b in self._rows("SELECT a, b FROM pairs ORDER BY place"))

    @property
    def openings(self) -> tuple[Opening, ...]:
        """The openings in the order of the list."""
        rows = self._rows(f"SELECT {self._columns(OPENING)} FROM openings ORDER BY place")  # noqa: S608
        return tuple(map(opening_of, rows))

    @property
    def benched(self) -> dict[str, str]:
        """The benched players and the reasons."""
        return dict(self._rows("SELECT name, benched FROM players WHERE benched IS NOT NULL ORDER BY place"))

    @property
    def absent(self) -> dict[str, str]:
        """The missing players of the last manager and the reasons."""
        return dict(self.meta.get(ABSENT, {}))

    @property
    def away(self) -> dict[str, str]:
        """The players that dial in and have no connection, and since when; only while a manager is at work."""
        return dict(self.meta.get(AWAY, {})) if is_locked(self.folder) else {}

    @property
    def waits_for(self) -> tuple[str, ...]:
        """The players that are away or absent, if all games left wait for them and none is played."""
        names = sorted({*self.away, *self.absent})
        if not names or (counts := self.counts).finished == counts.scheduled or (counts.begun and self.away):
            return ()
        listed = "(SELECT value FROM json_each(?))"
        others = f"first NOT IN {listed} AND second NOT IN {listed}"
        sql = f"SELECT EXISTS (SELECT 1 FROM games WHERE result IS NULL AND NOT given_up AND {others})"  # noqa: S608
        text = json.dumps(names)
        return () if self._rows(sql, (text, text))[0][0] else tuple(names)

    @property
    def added(self) -> tuple[PlayerEntry, ...]:
        """The players that were added by hand."""
        return msgspec.convert(self.meta.get(ADDED, []), tuple[PlayerEntry, ...])

    @property
    def annulled(self) -> list[dict[str, Any]]:
        """The annulled games: their records with `at` and `why`, in the order of the annulments."""
        return list(self.meta.get(ANNULLED, []))

    @property
    def disputes(self) -> list[Dispute]:
        """The games without a result, whose players did not agree on the rules, in the order of their ends."""
        return msgspec.convert(self.meta.get(DISPUTES, []), list[Dispute])

    @property
    def withdrawn(self) -> list[WithdrawnDispute]:
        """The disputes that count no more, in the order of the withdrawals."""
        return msgspec.convert(self.meta.get(WITHDRAWN, []), list[WithdrawnDispute])

    @property
    def lag_credits(self) -> dict[str, float]:
        """The mean lag credit of a player's games, in milliseconds per move, by name; only of those that got some."""
        return {name: total / games for name, (games, total) in self.meta.get(CREDITS, {}).items()}

    @property
    def plan(self) -> list[PlannedStep]:
        """The steps of the plan and their progress, without the games that were given up or that others play."""
        games = f"total(NOT given_up), count(result), total({LOST})"
        sql = f"SELECT steps.number, at, note, {games} FROM steps LEFT JOIN games ON step = steps.number"  # noqa: S608
        sql = f"{sql} GROUP BY steps.number ORDER BY steps.number"
        rows = self._rows(sql)
        return [
            PlannedStep(number, at, note, int(games), finished, int(given_up))
            for number, at, note, games, finished, given_up in rows
        ]

    @property
    def steps(self) -> tuple[str, ...]:
        """The purpose of each step of the plan."""
        return tuple(note for (note,) in self._rows("SELECT note FROM steps ORDER BY number"))

    def history(self, *, reopened: bool = False, playing: Collection[str] = ()) -> History:
        """Return the planned and finished games for pairing; with `reopened` as if nothing had been decided.

        Games with these ids are `playing`: they may have a result yet, also those of benched players.
        """
        history, meta = History(), self.meta
        history.decision, history.undecided = None if reopened else self.decision, meta.get(UNDECIDED, 0)
        history.standing = None if reopened else self.standing
        history.choose({(a, b): target for a, b, target in self._rows("SELECT a, b, target FROM pairs ORDER BY place")})
        history.plan(self.planned())
        history.benched.update(self.benched)
        history.disputes = self.disputes
        history.forgiven.update(meta.get(READMITTED, {}))
        for record, kind in ((history.leave, f"given_up = {ELSEWHERE}"), (history.give_up, _lost(reopened=reopened))):
            sql = f"SELECT {self._columns(PLANNED)} FROM games WHERE result IS NULL AND {kind} ORDER BY number"  # noqa: S608
            record([game for game in map(planned_of, self._rows(sql)) if game.id not in playing])
        columns = "first, second, result, step, turn, termination"
        sql = f"SELECT {columns} FROM games WHERE result IS NOT NULL ORDER BY finished, number"  # noqa: S608
        schedule = self.schedule
        for first, second, text, step, turn, termination in self._rows(sql):
            result = Result(text)
            failed = schedule.counts_failure(Termination(termination), result.loser(first, second))
            history.finish(Played(first, second, result, step, turn, failed))
        return history

    @property
    def counts(self) -> Counts:
        """The progress of the run."""
        begun = f"total(iif(given_up = {DISPUTED}, 0, attempts - voids)) - count(result)"
        lost = f"total({LOST}), total(iif({LOST}, voids, 0))"
        sql = f"SELECT total(NOT given_up), count(result), {begun}, total(voids), {lost} FROM games"  # noqa: S608
        return Counts(*map(int, self._rows(sql)[0]))

    @property
    def has_begun(self) -> bool:
        """Whether a game has ended, with a result or disputed, or the run was changed by hand: its plan then stays."""
        disputed, changed = self.disputes or self.withdrawn, self.benched or self.added or self.annulled
        return bool(self.counts.finished or disputed or changed)

    @property
    def scheduled(self) -> int:
        """The number of scheduled games, finished or not."""
        return self.counts.scheduled

    def scheduled_with(self, playing: Collection[str]) -> int:
        """Return the number of scheduled games and of those with these ids, which are played although given up."""
        lost = self._rows(f"SELECT id FROM games WHERE result IS NULL AND {LOST}")  # noqa: S608
        return self.scheduled + sum(game in playing for (game,) in lost)

    @property
    def last_finished(self) -> str | None:
        """The end of the last finished game, ISO 8601; None without any."""
        found: str | None = self._rows("SELECT max(finished) FROM games")[0][0]
        return found

    @property
    def seconds_per_game(self) -> float | None:
        """Seconds from the last start of a manager to its last finished game, per game; None if it finished none."""
        since = str(self.starts[-1].get("at") or "~")  # after every time
        games, last = self._rows("SELECT count(*), max(finished) FROM games WHERE finished > ?", (since,))[0]
        if not games:
            return None
        took = datetime.fromisoformat(last) - datetime.fromisoformat(since)
        return took.total_seconds() / int(games)

    @property
    def state(self) -> str:
        """`finished`, `running` (a manager holds its lock), or `interrupted`."""
        counts = self.counts
        if is_locked(self.folder):
            return "running"
        is_complete = self.decision is not None or not self.absent
        is_over = counts.finished == counts.scheduled and OVER in self.meta and is_complete
        return "finished" if is_over else "interrupted"

    @property
    def command(self) -> str:
        """The command that resumes the run, with paths as they were typed; empty if its file is unknown.

        Options that are not in the schedule, such as `--listen`, are not known.
        """
        schedule, results = self.schedule, results_option(self.folder)
        words = ["tournament", "run", schedule.file, *shard_option(schedule), *results]
        return "" if schedule.file == UNNAMED else shlex.join(words)


def shard_option(schedule: Schedule) -> list[str]:
    """Return the option by which `tournament run` plays this shard; none for a whole run."""
    return [] if schedule.shard is None else ["--shard", str(schedule.shard)]


def _lost(*, reopened: bool) -> str:
    return f"(given_up IN ({BENCHED}, {DISPUTED}))" if reopened else f"({LOST})"
