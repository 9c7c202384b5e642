"""A damaged run.sqlite: every command prints one sentence for any damage, and nothing is played again."""

from __future__ import annotations

import random
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner

from fiedler.support.errors import UsageError, WorkError
from fiedler.tournament.commands.rank import rank as command
from fiedler.tournament.commands.report import FORMATS
from fiedler.tournament.report import write_report
from fiedler.tournament.report.run import Run
from fiedler.tournament.run import manager, schema
from fiedler.tournament.run.journal import BESIDE
from fiedler.tournament.run.run_file import FILE
from fiedler.tournament.run.status import status
from tests.tournament.manager_process import NODES
from tests.tournament.schedules import Bench, player


def rank(folder: Path) -> object:
    return CliRunner().invoke(command, [str(folder)], catch_exceptions=False).output


def export(folder: Path) -> object:
    return ["".join(write(Run.read(folder))) for write in FORMATS.values()]


READERS: list[Callable[[Path], object]] = [status, rank, export, write_report]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    """A small run with every kind of stored data, also failures and a game of a benched player."""
    bench = Bench(tmp_path_factory.mktemp("whole"))
    bench.write([player("a"), player("b"), player("ç", "crash", 3)], tournament={"bench_after": 2}, limit=NODES)
    bench.play()
    write_report(bench.results / "test")
    return bench


def one_byte(data: bytearray, chance: random.Random) -> None:
    data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)


def some_bytes(data: bytearray, chance: random.Random) -> None:
    for _ in range(chance.randint(2, 40)):
        data[chance.randrange(len(data))] = chance.randrange(256)


def a_block(data: bytearray, chance: random.Random) -> None:
    start, size = chance.randrange(len(data)), chance.choice((16, 512, 4096))
    data[start : start + size] = bytes([chance.choice((0, 255))]) * len(data[start : start + size])


def the_end(data: bytearray, chance: random.Random) -> None:
    del data[chance.randrange(1, len(data)) :]


def text(data: bytearray, chance: random.Random) -> None:
    """Change a letter of stored text, which the structure of the file does not reveal."""
    places = [place for place, byte in enumerate(data) if chr(byte).isalnum()]
    data[chance.choice(places)] = chance.choice(b"aZ09\xff\x00")


DAMAGES = [one_byte, some_bytes, a_block, the_end, text]


def readable(bench: Bench) -> bool:
    """Have every command read the run: each works, or all report the damage in one sentence."""
    folder, errors = bench.results / "test", set()
    for read in READERS:
        try:
            read(folder)
        except (UsageError, WorkError) as error:
            errors.add(str(error))
    try:
        manager.run(bench.path, results=bench.results)
    except (UsageError, WorkError) as error:
        errors.add(str(error))
    assert all(str(folder / FILE) in line and "\n" not in line for line in errors), errors
    return not errors


def damage(whole: Bench, tmp_path: Path, kind: Callable[[bytearray, random.Random], None], seed: int) -> None:
    bench = Bench(tmp_path / f"{kind.__name__} {seed}")
    shutil.copytree(whole.folder, bench.folder)
    file = bench.results / "test" / FILE
    data = bytearray(file.read_bytes())
    before = status(file.parent)
    kind(data, random.Random(seed))
    file.write_bytes(data)
    if readable(bench):
        assert {**status(file.parent), "time_left": ""} == {**before, "time_left": ""}, "damage that changes something"


@pytest.mark.parametrize("kind", DAMAGES)
def test_damage_is_one_sentence(whole: Bench, tmp_path: Path, kind: Callable[[bytearray, random.Random], None]) -> None:
    for seed in range(5):
        damage(whole, tmp_path, kind, seed)


@pytest.mark.soak
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("kind", DAMAGES)
def test_many_damages_are_one_sentence(
    whole: Bench, tmp_path: Path, kind: Callable[[bytearray, random.Random], None]
) -> None:
    for seed in range(5, 300):
        damage(whole, tmp_path, kind, seed)


COLUMNS = [
    "meta SET value = replace(value, 'test', 'rest') WHERE key = 'name'",
    "meta SET value = '{' WHERE key = 'schedule'",
    "players SET identity = '{}'",
    "players SET benched = x'ff' WHERE benched IS NOT NULL",
    "steps SET note = x'ff'",
    "pairs SET target = 'many'",
    "openings SET moves = 'a1'",
    "games SET first = 'nobody' WHERE number = 1",
    "games SET moves = 'z9' WHERE number = 1",
    "games SET result = '1/2-1/2' WHERE result != '1/2-1/2'",
    "games SET seconds_first = 'long' WHERE number = 2",
    "games SET attempts = 'often'",
    "games SET given_up = 7 WHERE number = 3",
]


@pytest.mark.parametrize("change", COLUMNS)
def test_a_value_that_no_manager_wrote_is_refused(whole: Bench, tmp_path: Path, change: str) -> None:
    bench = Bench(tmp_path / "damaged")
    shutil.copytree(whole.folder, bench.folder)
    with closing(sqlite3.connect(bench.results / "test" / FILE)) as database, database:
        assert database.execute(f"UPDATE {change}").rowcount > 0
    assert not readable(bench)


def test_an_interrupt_of_the_check_is_no_damage(whole: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(_: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(schema, "_seal", interrupted)
    with pytest.raises(KeyboardInterrupt):
        status(whole.results / "test")


@pytest.mark.parametrize("beside", BESIDE)
def test_an_empty_file_beside_others_of_a_run_is_refused(whole: Bench, tmp_path: Path, beside: str) -> None:
    bench = Bench(tmp_path / "emptied")
    shutil.copytree(whole.folder, bench.folder)
    folder = bench.results / "test"
    for name in {*BESIDE} - {beside}:
        (folder / name).unlink()
    (folder / FILE).write_bytes(b"")
    with pytest.raises(UsageError, match=rf"{FILE}: cannot be read as a run: it is empty beside {beside} of a run"):
        bench.play()
    assert (folder / FILE).stat().st_size == 0


def test_an_empty_file_alone_begins_a_run(bench: Bench) -> None:
    (bench.results / "test").mkdir(parents=True)
    (bench.results / "test" / FILE).write_bytes(b"")
    assert len(bench.play([player("a"), player("b")], limit=NODES)) == 2
