"""The check of a run's file: once for each change, for every reader; the numbers of rows."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from fiedler.support.errors import UsageError
from fiedler.support.lock import run_lock
from fiedler.tournament.pairing.plan import Decision
from fiedler.tournament.run import run_file, schema, soundness
from fiedler.tournament.run.journal import Journal
from fiedler.tournament.run.run_file import FILE
from fiedler.tournament.run.soundness import open_sound
from fiedler.tournament.run.store import Store
from tests.tournament.report.made_runs import make_run
from tests.tournament.run.test_store import GAMES, META, OPENINGS, PAIRS, record
from tests.tournament.schedules import write_finished

ENDLESS = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return make_run(tmp_path / "run", ["a", "b"], game="tictactoe", games_per_pair=4)


@pytest.fixture
def checks(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """The folders that were checked since."""
    found: list[Path] = []
    check = Store.refuse_damage

    def checked(self: Store) -> None:
        found.append(self.folder)
        check(self)

    monkeypatch.setattr(Store, "refuse_damage", checked)
    return found


def change(folder: Path, statement: str, at: int = 0) -> None:
    """Change a run's file; with `at` its time is this one, long ago."""
    with closing(sqlite3.connect(folder / FILE, isolation_level=None)) as database:
        database.executescript(statement)
    if at:
        os.utime(folder / FILE, (at, at))


def test_a_file_is_checked_once_for_each_change(folder: Path, checks: list[Path]) -> None:
    change(folder, "UPDATE games SET moves = moves", at=1000)
    for _ in range(3):
        open_sound(folder).close()
    assert len(checks) == 1
    change(folder, "UPDATE games SET moves = moves", at=1001)
    open_sound(folder).close()
    assert len(checks) == 2
    change(folder, "DELETE FROM games WHERE number = 4", at=1002)
    for _ in range(3):
        with pytest.raises(UsageError, match="the table games has 3 rows, not 4 as when it was written"):
            open_sound(folder)
    assert len(checks) == 3


def test_a_change_at_the_time_of_the_check_is_seen(folder: Path) -> None:
    """The clock of a file system has steps of some milliseconds."""
    ahead = time.time() + 3600
    os.utime(folder / FILE, (ahead, ahead))
    open_sound(folder).close()
    change(folder, "UPDATE games SET moves = 'z9' WHERE number = 1")
    os.utime(folder / FILE, (ahead, ahead))
    with pytest.raises(UsageError, match=r"row \d of the table games is not as it was written"):
        open_sound(folder)


def test_the_changes_of_a_manager_are_checked_now_and_then(
    folder: Path, checks: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(soundness, "SHARE", 1e-9)
    open_sound(folder).close()
    with run_lock(folder, "tournament run"):
        change(folder, "UPDATE games SET voids = 7")
        open_sound(folder).close()
    assert len(checks) == 1
    with pytest.raises(UsageError, match=r"row \d of the table games is not as it was written"):
        open_sound(folder)


def test_a_query_that_never_ends_is_ended(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schema, "STEPS", 1_000_000)
    with Store.open(folder) as one, pytest.raises(UsageError, match=f"cannot be read as a run: {run_file.ENDLESS}"):
        one._rows(ENDLESS)


def test_each_query_has_the_steps_of_a_whole_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schema, "STEPS", schema.STEPS_AT_A_TIME)
    with Store.open(folder) as one:
        for _ in range(3):
            long = f"{ENDLESS.partition(') SELECT')[0]} LIMIT 5000) SELECT count(*) FROM n"
            assert one._rows(long) == [(5000,)]


def test_the_numbers_of_rows_follow_every_write(tmp_path: Path) -> None:
    with Journal.open(tmp_path) as journal:
        writes: list[Callable[[], object]] = [
            lambda: journal.record_start(META, {"a": {}, "b": {}, "c": {}}),
            lambda: journal.record_step("2026-01-01", "all", dict.fromkeys(PAIRS, 2), OPENINGS, GAMES),
            lambda: write_finished(journal, record(GAMES[0])),
            lambda: journal.write([], [], [], [("a", 1.0)]),
            lambda: journal.write([], [], [], [("b", 1.0)]),
            lambda: journal.bench("a", "it failed"),
            lambda: journal.readmit("a"),
            lambda: journal.record_absent({"b": "it is away"}),
            lambda: journal.decide(Decision("a is best", 1)),
            journal.reopen,
            lambda: journal.record_end("all games are planned"),
            lambda: journal.record_step("2026-01-02", "more", {}, OPENINGS, []),
        ]
        for write in writes:
            write()
            Store.open(tmp_path).close()
        assert journal.meta.keys() == {*META, "lag_credits", "readmitted", "absent"}
