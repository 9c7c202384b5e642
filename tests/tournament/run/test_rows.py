"""Sealed rows that no manager writes: every reader names the file, the row and its fault in one line."""

from __future__ import annotations

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from fiedler.support.errors import UsageError
from fiedler.tournament.commands.rank import rank
from fiedler.tournament.commands.report import report
from fiedler.tournament.commands.status import show_status
from fiedler.tournament.feeds.progress import progress
from fiedler.tournament.report.pgn import pgn
from fiedler.tournament.report.run import Run
from fiedler.tournament.run import schema
from fiedler.tournament.run.journal import Journal
from fiedler.tournament.run.run_file import FILE
from fiedler.tournament.run.store import Store
from tests.tournament.report.made_runs import make_run

DAY = "2026-02-31T00:00:00.000+00:00"
REFUSED = {
    "games SET first = 'nobody' WHERE number = 2": "row 2 of the table games: first: expected a player of the run",
    "games SET second = first WHERE number = 3": "row 3 of the table games: second: expected another player",
    "games SET number = 99 WHERE number = 4": "row 99 of the table games: number: expected 1 to the number of games",
    "games SET number = -1 WHERE number = 4": "row -1 of the table games: number: expected 1 to the number of games",
    "games SET step = 7 WHERE number = 5": "row 5 of the table games: step: expected a step of the plan, got 7",
    "games SET turn = -1 WHERE number = 5": "row 5 of the table games: turn: expected 0 to the number of games, got -1",
    "games SET turn = 1e300 WHERE number = 5": "row 5 of the table games: turn: expected an integer, got 1e+300",
    "games SET given_up = 1 WHERE number = 1": "row 1 of the table games: given_up: expected 0, or 1 to 4 without a",
    "games SET attempts = -3 WHERE number = 6": "row 6 of the table games: voids: expected 0 to the attempts without",
    "games SET voids = 9 WHERE number = 6": "row 6 of the table games: voids: expected 0 to the attempts without",
    "games SET opening = 'a1 z9' WHERE number = 6": "row 6 of the table games: opening: expected an opening of the run",
    "games SET moves = 'a1' WHERE number = 1": "row 1 of the table games: moves: expected the moves of the opening",
    "games SET termination = 'boredom' WHERE number = 1": "row 1 of the table games: termination: expected one of",
    "games SET termination = NULL WHERE number = 1": "row 1 of the table games: termination: expected one of rules",
    "games SET result = '1/2-1/2', termination = 'time' WHERE number = 1": "result: expected a winner where a player",
    "games SET detail = NULL WHERE number = 1": "row 1 of the table games: detail: expected a text, got nothing",
    "games SET evaluations = NULL WHERE number = 1": "row 1 of the table games: evaluations: expected a text, got",
    "games SET seconds_first = -1 WHERE number = 1": "row 1 of the table games: seconds_first: expected 0 to 1000",
    "games SET seconds_second = 9e999 WHERE number = 1": "row 1 of the table games: seconds_second: expected 0 to",
    "games SET seconds_second = NULL WHERE number = 1": "row 1 of the table games: seconds_second: expected 0 to",
    "games SET seconds_second = 'nan' WHERE number = 1": "seconds_second: expected a number, got 'nan'",
    "games SET finished = 'soon' WHERE number = 1": "row 1 of the table games: finished: expected a time in UTC, got",
    f"games SET finished = '{DAY}' WHERE number = 1": f"finished: expected a time in UTC, got '{DAY}",
    "games SET started = '2026-01-01T00:00:00' WHERE number = 1": "row 1 of the table games: started: expected a time",
    "games SET moves = x'ff' WHERE number = 1": "row 1 of the table games: moves: expected a text, got b",
    "pairs SET a = 'nobody' WHERE place = 2": "row 2 of the table pairs: a: expected a player of the run, got 'nobody'",
    "pairs SET b = a WHERE place = 2": "row 2 of the table pairs: b: expected another player than the first",
    "pairs SET a = 'b', b = 'a' WHERE place = 2": "row 1 of the table pairs: b: expected a pair once, got 'b'",
    "pairs SET target = -2 WHERE place = 2": "row 2 of the table pairs: target: expected a number of games, got -2",
    "players SET name = '' WHERE place = 3": "row 3 of the table players: name: expected a name, got ''",
    "players SET name = 'd' WHERE place = 3": "row 2 of the table pairs: b: expected a player of the run, got 'c'",
    "players SET identity = '[1]' WHERE place = 3": "row 3 of the table players: identity: Expected `object`, got",
    "steps SET number = 4": "row 4 of the table steps: number: expected 1 to the number of steps, got 4",
    "openings SET moves = 'z9 z9'; UPDATE games SET opening = 'z9 z9', moves = 'z9 z9'": "row 1 of the table openings",
    "meta SET value = '[5]' WHERE key = 'starts'": "row 'starts' of the table meta: Expected `object`, got `int`",
    "meta SET value = '[{\"at\": \"soon\"}]' WHERE key = 'starts'": "row 'starts' of the table meta: Invalid RFC3339",
    "meta SET value = '3' WHERE key = 'over'": "row 'over' of the table meta: Expected `str`, got `int`",
}  # fmt: skip
"""A change of a sealed run -> a part of the line about it."""
IMPOSSIBLE = {
    "moves = opening || ' z9'": "moves: ply 3: ",
    "moves = opening || ' hello'": "moves: ply 3: ",
    "moves = opening || ' ' || opening": "moves: ply 3: ",
    "moves = moves || ' ' || moves || ' ' || moves": "moves: ply ",
    "moves = opening, evaluations = '', termination = 'rules'": "result: expected another end after these moves, got ",
    "evaluations = evaluations || ' 1/2'": "evaluations: expected SCORE/DEPTH/MS, got '1/2'",
    "evaluations = evaluations || ' //5 //5'": "evaluations: expected ",
}
"""A change of a game that needs a replay to be seen -> a part of the line about it."""


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_run(tmp_path_factory.mktemp("sound") / "run", ["a", "b", "c"], game="tictactoe", games_per_pair=4)


def changed(sound: Path, tmp_path: Path, change: str) -> Path:
    """Return a copy of a run with changed rows, counted and sealed anew."""
    folder = tmp_path / "run"
    shutil.copytree(sound, folder)
    with closing(sqlite3.connect(folder / FILE)) as database:
        database.executescript(f"UPDATE {change}")
        for table in schema.SEALED:
            database.execute(f"UPDATE {table} SET seal = NULL")
        schema.seal(database, schema.SEALED)
        database.commit()
    return folder


def said(command: click.Command, folder: Path) -> str:
    """Return the line of a command that fails with exit code 2."""
    result = CliRunner().invoke(command, [str(folder)])
    assert isinstance(result.exception, UsageError), result.output
    assert "\n" not in str(result.exception)
    return str(result.exception)


@pytest.mark.parametrize("change", REFUSED)
def test_a_sealed_row_that_no_manager_writes_is_named(sound: Path, tmp_path: Path, change: str) -> None:
    folder = changed(sound, tmp_path, change)
    before = (folder / FILE).read_bytes()
    line = said(show_status, folder)
    assert line.startswith(f"{folder / FILE}: cannot be read as a run: ")
    assert REFUSED[change] in line
    assert said(rank, folder) == said(report, folder) == line
    with pytest.raises(UsageError) as error:
        Journal.open(folder)
    assert str(error.value) == line
    assert (folder / FILE).read_bytes() == before


@pytest.mark.parametrize("change", IMPOSSIBLE)
def test_a_reader_that_replays_names_an_impossible_game(sound: Path, tmp_path: Path, change: str) -> None:
    folder = changed(sound, tmp_path, f"games SET {change} WHERE number = 3")
    line = said(report, folder)
    assert line.startswith(f"{folder / FILE}: cannot be read as a run: it is damaged: row 3 of the table games: ")
    assert IMPOSSIBLE[change] in line
    assert not (folder / "report.html").exists()
    with pytest.raises(UsageError) as error:
        list(pgn(Run.read(folder)))
    assert str(error.value) == line


def test_a_sound_run_of_every_kind_of_row_is_read(sound: Path) -> None:
    with Store.open(sound) as store:
        assert store.counts.finished == 12
    assert sum(1 for _ in Run.read(sound).replayed_games()) == 12


def test_a_feed_shows_a_run_without_its_origin(sound: Path, tmp_path: Path) -> None:
    folder = changed(sound, tmp_path, "meta SET value = value; DELETE FROM meta WHERE key IN ('created', 'seed')")
    with closing(sqlite3.connect(folder / FILE)) as database, database:
        schema.count(database, schema.SEALED)
        schema.seal(database, schema.SEALED)
    assert progress(folder).counts.finished == 12
