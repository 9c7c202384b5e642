"""Games whose sides do not take turns and that begin elsewhere: played, killed, resumed, exported and reported."""

from __future__ import annotations

import json
import re
import signal
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

from fiedler import games
from fiedler.games.result import Result
from fiedler.support.errors import UsageError
from fiedler.tournament.commands.report import export
from fiedler.tournament.evaluation import scores
from fiedler.tournament.game import GameRecord
from fiedler.tournament.play.adjudicator import Adjudicator
from fiedler.tournament.play.referee import Referee
from fiedler.tournament.report.pgn import pgn
from fiedler.tournament.report.run import Run
from fiedler.tournament.report.sgf import sgf
from fiedler.tournament.report.statistics import tally
from fiedler.tournament.report.writing import write_report
from fiedler.tournament.run import schema
from fiedler.tournament.run.journal import Journal
from fiedler.tournament.run.run_file import FILE
from fiedler.tournament.run.store import Store
from fiedler.tournament.schedule.schedule import Adjudication
from fiedler.tournament.termination import Termination
from tests.folders import ROOT
from tests.kalah import KALAH, Kalah
from tests.patience import PATIENCE
from tests.tournament.manager_process import Manager, played
from tests.tournament.schedules import PLAYERS, Bench, Tables

ELSEWHERE = "O;3,0,4,1,3,3,3,1"
LINES = "1\n3 # a second move of South is none of the opening's\n" + f"{ELSEWHERE} 2\n{ELSEWHERE}\n"
REGISTERED = "from fiedler import games\nfrom tests.kalah import KALAH\ngames.register(KALAH)\n"


THREE_GAMES = """
import asyncio
from fiedler.tournament.run.table import LocalTable
play, begun = LocalTable.play, []
async def three(table, lease):
    begun.append(lease)
    if len(begun) > 3:
        await asyncio.sleep(3600)
    return await play(table, lease)
LocalTable.play = three
"""
"""Code for a manager whose fourth game never begins."""


@pytest.fixture(autouse=True)
def registered() -> Iterator[None]:
    games.register(KALAH)
    yield
    del games.REGISTERED[KALAH.id]


def sower(name: str) -> Tables:
    return {"name": name, "command": [sys.executable, "-S", "-E", str(PLAYERS / "kalah.py"), name]}


def written(bench: Bench, concurrency: int = 1) -> None:
    (bench.folder / "lines.txt").write_text(LINES, "utf-8")
    bench.write(
        [sower("first"), sower("last")],
        tournament={"game": "kalah", "games_per_pair": 8, "concurrency": concurrency},
        openings={"file": "lines.txt"},
        adjudication={"max_plies": 200},
        limit={"nodes": 1, "startup_s": PATIENCE},
    )


@pytest.fixture
def finished(bench: Bench) -> list[GameRecord]:
    """Each opening with both colours."""
    written(bench)
    return bench.play()


def movers(record: GameRecord) -> list[int]:
    """The sides that moved, by the rules."""
    position, found = Kalah(record.start), []
    for move in record.moves:
        found.append(position.side_to_move)
        position.play(position.parse_move(move))
    return found


@pytest.mark.programs
def test_records_have_the_start_and_the_sides(bench: Bench, finished: list[GameRecord]) -> None:
    assert [(one.start, one.opening) for one in finished[::2]] == [
        ("startpos", ("1",)),
        ("startpos", ("3",)),
        (ELSEWHERE, ("2",)),
        (ELSEWHERE, ()),
    ]
    for record in finished:
        sides = movers(record)
        assert [record.side(ply) for ply in range(len(sides))] == sides
        assert bool(record.sides) == any(side != ply % 2 for ply, side in enumerate(sides))
        assert Result.of(KALAH.position(record.start, record.moves).result or 0) == record.result
        assert record.termination == Termination.RULES
    assert any(record.sides for record in finished if record.start == "startpos"), "a side moved twice in a row"
    with Store.open(bench.results / "test") as store:
        assert [str(one) for one in store.openings] == ["1", "3", f"{ELSEWHERE} 2", ELSEWHERE]


@pytest.mark.programs
def test_a_run_resumes_after_a_kill(bench: Bench, tmp_path: Path) -> None:
    written(bench)
    run = Manager(bench, first=REGISTERED + THREE_GAMES)
    run.wait_for("Finished", 3)
    run.process.kill()
    assert run.end()[0] == -signal.SIGKILL
    before = bench.games()
    assert len(before) == 3
    resumed = bench.play()
    assert [one for one in resumed if one in before] == before
    other = Bench(tmp_path / "other")
    other.folder.mkdir()
    written(other)
    assert played(other.play()) == played(resumed)
    (bench.folder / "lines.txt").write_text(LINES.replace(f"{ELSEWHERE}\n", "X;1,0,4,1,3,3,3,1\n"), "utf-8")
    with pytest.raises(UsageError, match=r"lines\.txt: its openings have changed since the run began"):
        bench.play()


def sides_in(movetext: str) -> list[int]:
    """The sides that moved, counted from the numbers of a PGN."""
    found, side = list[int](), 1
    for number, _ in re.findall(r"(?:(\d+\.+)\s+)?(?<!\S)(\d)(?!\S)", re.sub(r"\{[^}]*\}", "", movetext)):
        side = int(number.endswith("...")) if number else 1 - side
        found.append(side)
    return found


@pytest.mark.programs
def test_tables_in_other_processes_return_the_same_records(
    bench: Bench, finished: list[GameRecord], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FIEDLER_GAMES", "tests.kalah:KALAH")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    other = Bench(tmp_path / "other")
    other.folder.mkdir()
    written(other, concurrency=2)
    other.processes = 2
    again = other.play()
    assert [(one.start, one.sides) for one in again] == [(one.start, one.sides) for one in finished]
    assert played(again) == played(finished)


@pytest.mark.programs
def test_every_export_has_them(bench: Bench, finished: list[GameRecord]) -> None:
    folder = bench.results / "test"

    def exported(form: str) -> str:
        return CliRunner().invoke(export, [str(folder), "--format", form], catch_exceptions=False).stdout

    assert [msgspec.convert(json.loads(line), GameRecord) for line in exported("jsonl").splitlines()] == finished
    all_games = exported("pgn")
    assert all_games.count('[SetUp "1"]') == all_games.count(f'[FEN "{ELSEWHERE}"]') == 4
    for record, text in zip(finished, all_games.split("[Event ")[1:], strict=True):
        assert sides_in(text.split("\n\n")[1]) == movers(record)
    write_report(folder)
    assert '"geometry":null' in (folder / "report.html").read_text("utf-8")
    counted = tally(Run.read(folder).games(), ("first", "last"))
    assert sum(one.turns for one in counted.players.values()) == sum(
        len(one.moves) - len(one.opening) for one in finished
    )
    assert set(counted.openings) == {"1", "3", f"{ELSEWHERE} 2", ELSEWHERE}
    with pytest.raises(UsageError, match=r"^sgf: expected a game of stones on a board, got kalah$"):
        exported("sgf")


@pytest.mark.programs
def test_our_players_begin_elsewhere(bench: Bench) -> None:
    start = "O;.../.X./..."
    (bench.folder / "lines.txt").write_text(f"{start}\n{start} a1\n", "utf-8")
    records = bench.play(
        [{"name": name, "player": "random"} for name in "ab"],
        tournament={"games_per_pair": 4},
        openings={"file": "lines.txt"},
        limit={"nodes": 1, "startup_s": PATIENCE},
    )
    assert [(one.start, one.sides[:3]) for one in records] == [(start, "101")] * 4
    folder = bench.results / "test"
    write_report(folder)
    assert not list(folder.glob("figures/*-moves.svg")), "no game has a first move of the start position"
    assert "First and second moves" not in (folder / "report.html").read_text("utf-8")
    run = Run.read(folder)
    assert all("]AB[bb]PL[W];W[" in text for text in sgf(run))
    assert all("\n\n1... " in text for text in pgn(run))


IMPOSSIBLE = {
    "sides = '01'": "sides: expected 0 or 1 for each move, or nothing",
    "sides = replace(sides, '0', '2')": "sides: expected 0 or 1 for each move, or nothing",
    "start_position = 'O;1'": "start_position: expected the start of an opening of the run",
    "sides = replace(replace(replace(sides, '0', '2'), '1', '0'), '2', '1')": "sides: expected ",
}


@pytest.mark.programs
def test_a_sealed_game_that_cannot_have_been_played_so_is_refused(bench: Bench, finished: list[GameRecord]) -> None:
    folder = bench.results / "test"
    sound = (folder / FILE).read_bytes()
    number = next(record.number for record in finished if record.sides and record.start == "startpos")
    for change, message in IMPOSSIBLE.items():
        (folder / FILE).write_bytes(sound)
        with closing(sqlite3.connect(folder / FILE)) as database, database:
            database.execute(f"UPDATE games SET {change}, seal = NULL WHERE number = {number}")
            schema.seal(database, ["games"])
        with pytest.raises(UsageError, match=message):
            list(Run.read(folder).replayed_games())


@pytest.mark.programs
def test_an_annulled_game_keeps_its_start_alone(bench: Bench, finished: list[GameRecord]) -> None:
    record = next(one for one in finished if one.sides and one.start == ELSEWHERE)
    with closing(Journal.open(bench.results / "test")) as journal:
        journal.annul(record, "2026-01-01T00:00:00.000+00:00", "")
        assert [(one.number, one.start) for one in journal.unplayed()] == [(record.number, ELSEWHERE)]
        assert journal.rows("games", "sides", f"number = {record.number}") == [("",)]
        assert msgspec.convert(journal.annulled[0], GameRecord, strict=False) == record


def test_a_referee_knows_the_side_of_each_move() -> None:
    referee = Referee(KALAH, "1")
    assert (referee.side, referee.last_side, referee.sides, referee.own_last_move) == (0, 0, "", "1")
    referee.play("2")
    assert (referee.side, referee.last_side, referee.sides, referee.own_last_move) == (1, 0, "00", "")
    later = Referee(KALAH, "", ELSEWHERE)
    assert (later.side, later.last_side, later.sides) == (1, 0, "")
    later.play("3")
    assert (later.sides, later.start) == ("1", ELSEWHERE)
    tictactoe = Referee(games.game("tictactoe"), ["a1"], "O;.../.X./...")
    assert (tictactoe.sides, tictactoe.last_side) == ("1", 1)


def test_both_sides_must_agree_however_often_one_moves() -> None:
    rules = Adjudication(resign_score=500, resign_moves=2)
    judge = Adjudicator(rules, Referee(KALAH, ""), ["a", "b"])
    assert [judge.judge(side, score) for side, score in ((0, -900), (0, -900), (0, -900), (1, 900))] == [None] * 4
    outcome = judge.judge(1, 900)
    assert outcome is not None
    assert outcome.result is Result.SECOND_WIN


def test_scores_are_those_of_the_side_that_moved() -> None:
    rest = (Result.DRAW, Termination.RULES, "", "", "", 0.0, 0.0, "#1/2/0 #1/2/0 #1/2/0")
    record = GameRecord("id", 1, "a", "b", ("1",), ("1", "2", "1", "3"), *rest, sides="0011")
    assert scores(record) == [(2, 0, 1.0), (3, 1, 0.0), (4, 1, 0.0)]
    assert [record.moves_of(side) for side in (0, 1)] == [1, 2]
    assert [replace_sides(record, "0101").moves_of(side) for side in (0, 1)] == [1, 2]


def replace_sides(record: GameRecord, sides: str) -> GameRecord:
    return msgspec.structs.replace(record, sides=sides)
