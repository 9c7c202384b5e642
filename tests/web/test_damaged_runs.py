"""Damaged and foreign runs: each has its error, the same everywhere, and the others are shown as ever."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from fiedler.support.errors import UsageError, WorkError
from fiedler.tournament.run import schema
from fiedler.tournament.run.run_file import FILE
from fiedler.tournament.run.status import status
from fiedler.web.listing import Listing
from fiedler.web.run_list import summaries
from tests.patience import wait_until
from tests.tournament.report.made_runs import make_run
from tests.web.pages import Pages
from tests.web.test_server import ask, content

ENDLESS = "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i AS number FROM n"


def changed(statement: str) -> Callable[[Path], None]:
    def change(file: Path) -> None:
        with closing(sqlite3.connect(file, isolation_level=None)) as database:
            database.executescript(statement)

    return change


def resealed(statement: str, table: str = "meta") -> Callable[[Path], None]:
    """Change rows and seal them, as another program would that knows the seals."""

    def change(file: Path) -> None:
        changed(statement)(file)
        with closing(sqlite3.connect(file)) as database, database:
            schema.seal(database, [table])

    return change


def cut(file: Path) -> None:
    os.truncate(file, file.stat().st_size // 2 // 4096 * 4096)


def flipped(file: Path) -> None:
    data = bytearray(file.read_bytes())
    place = data.rindex(b"player")
    data[place] ^= 1
    file.write_bytes(data)


DAMAGES: dict[str, tuple[Callable[[Path], object], str]] = {
    "text": (lambda file: file.write_text("not a run" * 100), "file is not a database"),
    "cut": (cut, "database disk image is malformed"),
    "flipped": (flipped, "is not as it was written"),
    "result": (
        changed("UPDATE games SET result = '0-1', seal = 1 WHERE number = 2"),
        "row 2 of the table games is not as it was written",
    ),
    "no seal": (changed("UPDATE games SET seal = NULL WHERE number = 2"), "row 2 of the table games is not as it"),
    "games gone": (changed("DELETE FROM games WHERE number % 3 = 0"), "the table games has 8 rows, not 12 as when it"),
    "one gone": (changed("DELETE FROM games WHERE number = 12"), "the table games has 11 rows, not 12"),
    "player gone": (changed("DELETE FROM players WHERE place = 1"), "the table players has 2 rows, not 3"),
    "openings gone": (changed("DELETE FROM openings"), "the table openings has 0 rows"),
    "key gone": (changed("DELETE FROM meta WHERE key = 'over'"), "the table meta has"),
    "numbers gone": (changed("DELETE FROM meta WHERE key = 'rows'"), "the numbers of its rows are missing"),
    "a view": (changed(f"DROP TABLE games; CREATE VIEW games AS {ENDLESS}"), "got the view 'games'"),
    "a second view": (changed(f"CREATE VIEW more AS {ENDLESS}"), "expected the tables of a run, got the view 'more'"),
    "a trigger": (
        changed("CREATE TRIGGER t AFTER UPDATE ON games BEGIN DELETE FROM games; END"),
        "expected the tables of a run, got the trigger 't'",
    ),
    "a column": (changed("ALTER TABLE games ADD COLUMN more TEXT"), "the table games is not that of a run"),
    "a computed column": (
        changed("DROP TABLE openings; CREATE TABLE openings (place, moves AS (zeroblob(1000000000)), seal)"),
        "the table openings is not that of a run",
    ),
    "no index": (changed("DROP INDEX unsealed"), "it lacks the index unsealed"),
    "foreign": (changed("PRAGMA user_version = 0"), "expected a run of Fiedler, got a database of another program"),
    "newer": (changed("PRAGMA user_version = 99"), "schema 99 is of a newer Fiedler"),
    "no name": (
        resealed("UPDATE meta SET key = 'nobody', seal = NULL WHERE key = 'name'"),
        "its data are not of this version: the table meta lacks the row 'name'",
    ),
    "a schedule": (
        resealed("UPDATE meta SET value = '{\"x\": 1}', seal = NULL WHERE key = 'schedule'"),
        "not of this version: row 'schedule' of the table meta: Object contains unknown field `x`",
    ),
    "deep JSON": (
        resealed(f"UPDATE meta SET value = '{'[' * 100_000}', seal = NULL WHERE key = 'game'"),
        "its data are not of this version: row 'game' of the table meta: maximum recursion depth exceeded",
    ),
    "no word": (
        resealed("UPDATE meta SET value = '1e400', seal = NULL WHERE key = 'game'"),
        "its data are not of this version: row 'game' of the table meta: Expected `str`, got `float`",
    ),
    "numbers": (
        resealed("UPDATE meta SET value = '5', seal = NULL WHERE key = 'rows'"),
        "the numbers of its rows cannot be read",
    ),
    "numbers in a list": (
        resealed("UPDATE meta SET value = '[[1]]', seal = NULL WHERE key = 'rows'"),
        "the numbers of its rows cannot be read",
    ),
    "bytes": (
        resealed("UPDATE games SET moves = x'ff', seal = NULL", "games"),
        "row 1 of the table games: moves: expected a text, got b",
    ),
    "a stranger": (
        resealed("UPDATE games SET first = 'x', seal = NULL WHERE number = 3", "games"),
        "row 3 of the table games: first: expected a player of the run, got 'x'",
    ),
    "a pipe": (lambda file: os.mkfifo(f"{file}-journal"), "run.sqlite-journal: expected a file"),
    "a folder": (lambda file: Path(f"{file}-wal").mkdir(), "run.sqlite-wal: expected a file"),
    "a long text": (
        changed("UPDATE games SET detail = hex(zeroblob(34000000)) WHERE number = 2"),
        "cannot be read as a run: string or blob too big",
    ),
    "no JSON": (resealed("UPDATE meta SET value = '{', seal = NULL WHERE key = 'game'"), "its data are not of this"),
}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pages]:
    results = tmp_path_factory.mktemp("damaged")
    make_run(results / "sound", ["player a", "player b", "player c"], game="tictactoe", games_per_pair=4)
    for name, (damage, _) in DAMAGES.items():
        shutil.copytree(results / "sound", results / name)
        damage(results / name / FILE)
    one = Pages(results)
    yield one
    assert one.stop() == 0
    assert [line for line in one.lines if not line.startswith("listening on ")] == []


def document(site: Pages, path: str, status: int = 200) -> Any:
    answer = ask(site, path.replace(" ", "%20"))
    assert answer.status == status
    return json.loads(content(answer))


def listed(site: Pages) -> dict[str, Any]:
    return {run["name"]: run for run in document(site, "/api/runs")["runs"]}


@pytest.mark.parametrize("name", DAMAGES)
def test_every_reader_gives_the_same_reason(site: Pages, name: str) -> None:
    reason = DAMAGES[name][1]
    with pytest.raises((UsageError, WorkError)) as error:
        status(site.results / name)
    said = str(error.value)
    assert reason in said
    assert "\n" not in said
    wait_until(lambda: listed(site)[name]["error"] == said)  # a busy machine checks the last ones later
    assert document(site, f"/api/runs/{name}")["trouble"] == said
    assert document(site, f"/api/runs/{name}/games", 503)["error"] == said


def test_an_impossible_game_has_its_reason_in_place_of_its_board(site: Pages) -> None:
    shutil.copytree(site.results / "sound", site.results / "impossible")
    resealed("UPDATE games SET moves = opening || ' z9', seal = NULL WHERE number = 3", "games")(
        site.results / "impossible" / FILE
    )
    said = document(site, "/api/runs/impossible/games/3", 503)["error"]
    assert (
        "impossible/run.sqlite: cannot be read as a run: it is damaged: row 3 of the table games: moves: ply 3" in said
    )
    assert document(site, "/api/runs/impossible/games/2")["number"] == 2
    exported = content(ask(site, "/api/runs/impossible/games.pgn"))
    assert f"; {said}\n" in exported
    assert exported.count("[Event ") == 11


def test_the_others_are_shown(site: Pages) -> None:
    runs = listed(site)
    assert set(runs) >= {*DAMAGES, "sound"}
    assert (runs["sound"]["finished"], runs["sound"].get("error")) == (12, None)
    assert document(site, "/api/runs/sound")["name"] == "sound", "also without its log"


def test_a_run_that_is_damaged_while_it_is_shown(site: Pages) -> None:
    folder = make_run(site.results / "later", ["a", "b"], game="tictactoe", games_per_pair=4)
    assert document(site, "/api/runs/later/games")["count"] == 4
    changed("DELETE FROM games WHERE number = 1")(folder / FILE)
    assert "has 3 rows, not 4" in document(site, "/api/runs/later/games", 503)["error"]
    wait_until(lambda: "has 3 rows, not 4" in listed(site).get("later", {}).get("error", ""))


def test_a_list_that_takes_long_has_the_rest_later(site: Pages) -> None:
    listing = Listing(site.results)
    assert {run["error"] for run in summaries(listing, 0.0)} == {"this run is being checked"}
    assert "sound" in {run["name"] for run in summaries(listing) if "error" not in run}


def test_every_run_has_its_turn_in_lists_that_take_long(site: Pages) -> None:
    listing, known = Listing(site.results), dict[str, Any]()
    for name in listing.names():  # as if each list had the time for one run
        before = dict(known)
        known[name] = {"name": name, "state": "as it was"}
        assert {run["name"]: run for run in summaries(listing, 0.0, known)}[name] == known[name]
        assert list(known) == [*before, name]
    oldest = next(iter(known))
    known.pop("sound")
    known["gone"] = {"name": "gone"}
    summaries(listing, 1e-9, known)
    assert "gone" not in known
    shown = summaries(listing, known=known)
    assert known["sound"]["finished"] == 12
    assert next(iter(known)) == "sound", "the one without a state was first"
    assert known[oldest] in shown
    assert all(run.get("state") != "as it was" for run in shown)


def test_what_is_no_file_is_no_run(site: Pages) -> None:
    """Neither a pipe in place of a file, which nobody writes, nor a folder holds up the list."""
    for name, file in (("pipes", "lock"), ("log", "events.jsonl")):
        shutil.copytree(site.results / "sound", site.results / name)
        (site.results / name / file).unlink(missing_ok=True)
        os.mkfifo(site.results / name / file)
    (site.results / "folder" / FILE).mkdir(parents=True)
    (site.results / "pipe").mkdir()
    os.mkfifo(site.results / "pipe" / FILE)
    wait_until(lambda: {"pipes", "log"} <= set(listed(site)))
    assert not {"folder", "pipe"} & set(listed(site)), "no run, as `tournament status` says"
    document(site, "/api/runs/folder", 404)
    assert listed(site)["pipes"]["finished"] == 12
    assert document(site, "/api/runs/log")["trouble"].endswith("events.jsonl: expected a file")
