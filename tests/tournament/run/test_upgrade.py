"""Runs of earlier versions: read as they are, upgraded once after a copy, and played to their end."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from fiedler.support.errors import UsageError, WorkError
from fiedler.tournament.report import write_report
from fiedler.tournament.run import manager, schema, upgrade
from fiedler.tournament.run.journal import Journal
from fiedler.tournament.run.run_file import FILE
from fiedler.tournament.run.status import status
from fiedler.tournament.run.store import Store
from fiedler.tournament.run.upgrade import copy_of
from tests.folders import ROOT
from tests.tournament.schedules import Bench

DATA = ROOT / "tests" / "data" / "runs"
EARLIER = {4: 9, 5: 6, 6: 11}
"""Earlier version of the schema -> the finished games of its run."""


@pytest.fixture(params=EARLIER)
def version(request: pytest.FixtureRequest) -> int:
    return int(request.param)


@pytest.fixture
def folder(tmp_path: Path, version: int) -> Path:
    run = tmp_path / "results" / "old"
    run.mkdir(parents=True)
    shutil.copy(DATA / f"schema{version}.sqlite", run / FILE)
    return run


def version_of(file: Path) -> int:
    with closing(sqlite3.connect(file)) as database:
        return schema.version_and_tables(database)[0]


def test_a_run_of_an_earlier_version_is_read_as_it_is(folder: Path, version: int) -> None:
    before = (folder / FILE).read_bytes()
    with Store.open(folder) as store:
        assert len(store.games()) == EARLIER[version]
        assert store.voids == [(EARLIER[version] + 1, *store.voids[0][1:3], 1, "interrupted" if version >= 6 else "")]
    assert status(folder)["finished"] == EARLIER[version]
    write_report(folder)
    assert (folder / FILE).read_bytes() == before


def test_it_is_upgraded_in_one_transaction_after_a_copy(folder: Path, version: int) -> None:
    before = (folder / FILE).read_bytes()
    with Store.open(folder) as store:
        planned, games, voids, counts, meta = store.planned(), store.games(), store.voids, store.counts, store.meta
    with closing(Journal.open(folder)) as journal:
        assert journal.planned() == planned
        assert (journal.games(), journal.voids, journal.counts, journal.meta) == (games, voids, counts, meta)
    assert version_of(folder / FILE) == schema.VERSION
    Store.open(folder).close()
    copy = copy_of(folder, version)
    assert version_of(copy) == version
    copy.rename(folder / FILE)
    with Store.open(folder) as store:
        assert store.games() == games
    assert (folder / FILE).stat().st_size == len(before)


def test_it_is_played_to_its_end(folder: Path, bench: Bench, version: int) -> None:
    with Store.open(folder) as store:
        before = store.games()
    schedule = bench.folder / "schedule.toml"
    shutil.copy(DATA / "schedule.toml", schedule)
    manager.run(schedule, results=folder.parent)
    with Store.open(folder) as store:
        assert [game for game in store.games() if game in before] == before
        assert store.counts.finished == 12
        assert store.attempts[store.planned()[EARLIER[version]].id] == 2
        assert store._rows("SELECT DISTINCT start FROM games ORDER BY start") == [(int(version >= 6),), (2,)]
    with Journal.open(folder) as journal:
        assert journal.counts.finished == 12
    assert [path.name for path in folder.glob("*.schema-*")] == [copy_of(folder, version).name]


def test_a_removed_row_is_missed_after_the_upgrade(folder: Path) -> None:
    Journal.open(folder).close()
    with closing(sqlite3.connect(folder / FILE, isolation_level=None)) as database:
        database.execute("DELETE FROM games WHERE number = 4")
    with pytest.raises(UsageError, match="the table games has 11 rows, not 12"):
        Store.open(folder)


def test_a_kill_in_an_upgrade_leaves_the_earlier_version(
    folder: Path, version: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(upgrade, "seal", killed)
        with pytest.raises(KeyboardInterrupt):
            Journal.open(folder)
    assert version_of(folder / FILE) == version
    with Store.open(folder) as store:
        assert len(store.games()) == EARLIER[version]
    Journal.open(folder).close()
    assert version_of(folder / FILE) == schema.VERSION


def test_without_a_copy_nothing_is_upgraded(folder: Path, version: int) -> None:
    copy_of(folder, version).mkdir()
    with pytest.raises(WorkError, match=rf"run\.sqlite\.schema-{version}: cannot be written: "):
        Journal.open(folder)
    assert version_of(folder / FILE) == version
