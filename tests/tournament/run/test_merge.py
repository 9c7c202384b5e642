"""Shards of a run, joined: each game once, nothing of another run, and the games of one machine."""

from __future__ import annotations

import json
import re
import shutil
import sqlite3
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner, Result

from fiedler.support.errors import UsageError
from fiedler.support.lock import run_lock
from fiedler.support.stages import reported_to
from fiedler.tournament.cli import tournament
from fiedler.tournament.game import PlannedGame
from fiedler.tournament.run import draft, schema
from fiedler.tournament.run.continuation import identities
from fiedler.tournament.run.journal import Journal
from fiedler.tournament.run.merge import merge
from fiedler.tournament.run.openings import OpeningList
from fiedler.tournament.run.run_file import FILE
from fiedler.tournament.run.store import Store
from fiedler.tournament.schedule.schedule import Schedule
from fiedler.tournament.schedule.sharding import sharded
from tests.tournament.run.test_store import record
from tests.tournament.schedules import Bench, Tables, toml, write_finished, write_void

GAMES = {"games_per_pair": 8}
PLAYERS = [{"name": name, "player": "random"} for name in "abc"]
TABLES: Tables = {
    "tournament": {"name": "test", "game": "tictactoe", "seed": 1, **GAMES},
    "limit": {"nodes": 1},
    "pairing": {"method": "round-robin"},
    "openings": {"plies": 1},
    "players": PLAYERS,
}


def schedule(**changes: Any) -> Schedule:
    return msgspec.convert({**TABLES, **changes}, Schedule)


def make_shard(
    results: Path,
    text: str,
    options: Schedule | None = None,
    *,
    hour: int = 1,
    commit: str = "abc",
    unplayed: int = 0,
    change: Callable[[Journal], object] = lambda _: None,
) -> Path:
    """Make a shard without players, but for its last games, and `change` it before its games."""
    made = sharded(options or schedule(), text)
    folder = results / made.tournament.name
    folder.mkdir(parents=True)
    start = {"at": f"2026-01-01T{hour:02}:00:00.000+00:00", "version": "0.1.0", "commit": commit}
    meta = {"name": made.tournament.name, "game": "tictactoe", "seed": 1, "schedule": msgspec.to_builtins(made)}
    meta |= {"created": start["at"], "version": "0.1.0", "commit": None, "starts": [start]}
    with closing(OpeningList(made)) as openings, Journal.open(folder) as journal:
        drafted = draft.prepare(made, None, openings)
        journal.record_start(meta, identities(made))
        drafted.write(journal)
        change(journal)
        left = journal.unplayed()
        write_finished(journal, *map(record, left[: len(left) - unplayed]))
        if not unplayed:
            journal.record_end("all games are played")
    return folder


def make_shards(results: Path, of: int = 3) -> list[Path]:
    return [make_shard(results, f"{number}/{of}", hour=of - number) for number in range(1, of + 1)]


def refusal(out: Path, folders: Sequence[Path]) -> str:
    with pytest.raises(UsageError) as error:
        merge(out, folders)
    assert not out.exists(), "nothing is left behind"
    return str(error.value)


def called(*words: object) -> Result:
    return CliRunner().invoke(tournament, list(map(str, words)))


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the run of one machine and its three shards, all played by the same command."""
    folder = tmp_path_factory.mktemp("played")
    file = folder / "schedule.toml"
    file.write_text(toml(TABLES), "utf-8")
    for shard in ((), ("--shard", "1/3"), ("--shard", "2/3"), ("--shard", "3/3")):
        done = called("run", file, "--results", folder, "--quiet", *shard)
        assert done.exit_code == 0, done.output
    return folder


def played_shards(played: Path) -> list[Path]:
    return [played / f"test.shard-{number}-of-3" for number in (3, 1, 2)]


def without_times(folder: Path) -> list[str]:
    """Return the words of the games of a run as PGN, without the times of games and moves."""
    text = (folder / "games.pgn").read_text("utf-8")
    assert text.count("[UTCTime ") == text.count("[Result ") == 24
    text = re.sub(r'^\[(Date|UTCDate|UTCTime) "[\d.:]+"\]$', "", text, flags=re.MULTILINE)
    return re.sub(r"\s[\d.]+s\}", " }", text).split()


def test_a_merged_run_has_the_games_and_ratings_of_one_machine(played: Path, tmp_path: Path) -> None:
    done = called("merge", tmp_path / "out", *played_shards(played))
    assert done.exit_code == 0, done.output
    assert "3 shards of 24 games joined" in done.stdout
    with Store.open(played / "test") as one, Store.open(tmp_path / "out") as merged:
        assert [(game.id, game.moves, game.result) for game in merged.games()] == [
            (game.id, game.moves, game.result) for game in one.games()
        ]
        assert merged.planned() == one.planned()
        assert (merged.state, merged.over, merged.plan[0].games) == ("finished", one.over, 24)
        assert merged.schedule == one.schedule
    for name in ("ranking.txt", "ranking.json"):
        assert (tmp_path / "out" / name).read_bytes() == (played / "test" / name).read_bytes()
    assert (tmp_path / "out" / "report.html").is_file()
    assert without_times(tmp_path / "out") == without_times(played / "test")
    lines = (tmp_path / "out" / "events.jsonl").read_text("utf-8").splitlines()
    assert [json.loads(line)["seq"] for line in lines] == list(range(1, 25))


def test_a_shard_plays_its_own_games_only(played: Path) -> None:
    shards = [Store.open(folder) for folder in played_shards(played)]
    numbers = [store.finished for store in shards]
    assert numbers == [list(range(first, 25, 3)) for first in (3, 1, 2)]
    for store in shards:
        assert (store.counts.scheduled, store.counts.given_up, store.counts.planned) == (8, 0, 8)
        assert (store.state, store.over) == ("finished", "all games are played")
        assert store.command.endswith(f"--shard {store.schedule.shard} --results {played}")
        store.close()


def test_a_finished_shard_plays_nothing_again(played: Path, tmp_path: Path) -> None:
    shutil.copytree(played, tmp_path / "copy")
    with Store.open(tmp_path / "copy" / "test.shard-2-of-3") as store:
        before = store.attempts
    done = called("run", played / "schedule.toml", "--shard", "2/3", "--results", tmp_path / "copy", "--quiet")
    assert done.exit_code == 0, done.output
    with Store.open(tmp_path / "copy" / "test.shard-2-of-3") as store:
        assert (store.attempts, store.counts.scheduled) == (before, 8)


def test_a_merged_run_without_a_shard_is_continued_by_one_machine(played: Path, bench: Bench) -> None:
    """The command for the whole run plays the missing games, if OUT has the name of the run."""
    bench.path.write_text(toml(TABLES), "utf-8")
    merged = merge(bench.results / "test", played_shards(played)[:2])
    assert merged.warnings == ["8 of 24 games are missing: shard 2/3"]
    with Store.open(bench.results / "test") as store:
        assert (store.state, store.counts.finished, store.counts.scheduled) == ("interrupted", 16, 24)
        before = store.games()
    games = bench.play()
    assert [game for game in games if game in before] == before
    with Store.open(played / "test") as one:
        assert [(game.id, game.moves) for game in games] == [(game.id, game.moves) for game in one.games()]


class Stages:
    """A listener that counts the steps of each stage."""

    def __init__(self) -> None:
        self.steps: dict[str, tuple[int, int | None]] = {}

    def begin(self, title: str, steps: int | None) -> None:
        self.steps[title] = 0, steps

    def step(self) -> None:
        title = list(self.steps)[-1]
        done, steps = self.steps[title]
        self.steps[title] = done + 1, steps


def test_the_progress_of_a_merge_is_reported(tmp_path: Path) -> None:
    seen = Stages()
    with reported_to(seen):
        merge(tmp_path / "out", make_shards(tmp_path, of=3))
    assert seen.steps == {"checking the shards": (3, 3), "merging the shards": (3, 3)}


def test_missing_shards_are_counted(tmp_path: Path) -> None:
    shards = make_shards(tmp_path, of=5)
    assert merge(tmp_path / "one", shards[:4]).warnings == ["4 of 24 games are missing: shard 5/5"]
    assert merge(tmp_path / "two", shards[1:4]).warnings == ["9 of 24 games are missing: shards 1/5, 5/5"]
    assert merge(tmp_path / "all", shards).warnings == []


def test_shards_of_several_versions_are_named(tmp_path: Path) -> None:
    shards = [make_shard(tmp_path, "1/2", commit="abc"), make_shard(tmp_path, "2/2", commit="def")]
    (warning,) = merge(tmp_path / "out", shards).warnings
    assert warning == "2 versions of Fiedler played the shards: 0.1.0, commit abc; 0.1.0, commit def"


def as_schema6(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the file of a run one of schema 6."""
    with closing(sqlite3.connect(folder / FILE)) as database, database, monkeypatch.context() as patch:
        for table, columns in {"games": ("start_position", "sides"), "openings": ("start_position",)}.items():
            for column in columns:
                database.execute(f"ALTER TABLE {table} DROP COLUMN {column}")
            database.execute(f"UPDATE {table} SET seal = NULL")
        database.execute("PRAGMA user_version = 6")
        patch.setattr(schema, "SEALED", schema.sealed_by(6))
        schema.seal(database, ("games", "openings"))


def test_shards_of_an_earlier_schema_are_merged_with_those_of_a_later_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shards = make_shards(tmp_path)
    merge(tmp_path / "whole", shards)
    for folder in shards[:2]:
        as_schema6(folder, monkeypatch)
    merge(tmp_path / "again", shards)
    with closing(Store.open(tmp_path / "whole")) as whole, closing(Store.open(tmp_path / "again")) as again:
        assert again.games() == whole.games()
        assert again.openings == whole.openings


def test_starts_and_void_attempts_are_those_of_all_shards(tmp_path: Path) -> None:
    def void(journal: Journal) -> None:
        write_void(journal, journal.unplayed()[0].id, "no memory")

    shards = [make_shard(tmp_path, "1/2", hour=9, change=void), make_shard(tmp_path, "2/2", hour=8)]
    merge(tmp_path / "out", shards)
    with Store.open(tmp_path / "out") as store:
        assert [start["at"][11:13] for start in store.starts] == ["08", "09"]
        assert store.meta["created"] == store.starts[0]["at"]
        placed = store.rows("games", "number, start, node")
        assert placed[:2] == [(1, 2, "shard 1/2"), (2, 1, "shard 2/2")]
        assert [(number, count, why) for number, _, _, count, why in store.voids] == [(1, 1, "no memory")]
        assert store.rows("void_attempts", "attempt, start, node") == [(1, 2, "shard 1/2")]


def test_a_player_that_a_shard_benched_is_benched(tmp_path: Path) -> None:
    """Its finished games count, those that the shard gave up or that are missing do not."""

    def bench(journal: Journal) -> None:
        journal.bench("c", "3 failures in a row")

    shards = [make_shard(tmp_path, "1/3", change=bench), make_shard(tmp_path, "2/3")]
    merge(tmp_path / "out", shards)
    with Store.open(tmp_path / "out") as store:
        assert store.benched == {"c": "3 failures in a row (shard 1/3)"}

        def of_c(game: PlannedGame) -> bool:
            return "c" in (game.first, game.second)

        lost = [game for game in store.planned() if of_c(game) and game.number % 3 != 2]
        assert store.counts.given_up == len(lost) > 5
        assert store.counts.finished == 8 + sum(not of_c(game) and game.number % 3 == 1 for game in store.planned())


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"limit": {"nodes": 2}}, "limit.nodes: expected '1' as in"),
        ({"tournament": {**TABLES["tournament"], "seed": 2}}, "tournament.seed: expected '1' as in"),
        ({"tournament": {**TABLES["tournament"], "name": "other"}}, "tournament.name: expected 'test' as in"),
        ({"tournament": {**TABLES["tournament"], "games_per_pair": 4}}, "tournament.games_per_pair: expected '8' as"),
        ({"pairing": {"method": "gauntlet"}}, "pairing.method: expected 'round-robin' as in"),
        ({"adjudication": {"max_plies": 5}}, "adjudication.max_plies: expected none as in"),
        ({"players": [*PLAYERS, {"name": "d", "player": "random"}]}, "players: expected 'a, b, c' as in"),
        ({"players": [*PLAYERS[:2], {**PLAYERS[2], "options": {"Seed": 1}}]}, "players 'c'.options: expected '{}' as"),
    ],
)
def test_shards_of_two_runs_are_refused(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    first, other = make_shard(tmp_path / "a", "1/2"), make_shard(tmp_path / "b", "2/2", schedule(**change))
    assert refusal(tmp_path / "out", [first, other]).startswith(f"{other}: {message}")


def test_shards_of_another_number_are_refused(tmp_path: Path) -> None:
    first, other = make_shard(tmp_path, "1/2"), make_shard(tmp_path, "1/3")
    assert refusal(tmp_path / "out", [first, other]) == (
        f"{other}: number of shards: expected '2' as in {first}, got '3'"
    )


def test_another_plan_of_the_same_schedule_is_refused(tmp_path: Path) -> None:
    def more(journal: Journal) -> None:
        journal.record_step("2026-01-01", "more", {}, journal.openings, [])

    first, other = make_shard(tmp_path, "1/2"), make_shard(tmp_path, "2/2", change=more)
    assert refusal(tmp_path / "out", [first, other]) == f"{other}: step 2: expected none as in {first}, got 'more'"


def test_a_shard_given_twice_is_refused(tmp_path: Path) -> None:
    first = make_shard(tmp_path, "1/2")
    copy = tmp_path / "copy"
    shutil.copytree(first, copy)
    assert refusal(tmp_path / "out", [first, copy]) == f"{copy}: shard 1/2 is given twice, the other one is {first}"


def test_a_folder_given_twice_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first, other = make_shards(tmp_path, of=2)
    assert refusal(tmp_path / "out", [first, other, first]) == f"{first} is given twice"
    monkeypatch.chdir(tmp_path)
    again = Path(other.name)
    assert refusal(tmp_path / "out", [first, other, again]) == f"{again} is given twice"


def test_an_unfinished_shard_is_refused(tmp_path: Path) -> None:
    first, other = make_shard(tmp_path, "1/2"), make_shard(tmp_path, "2/2", unplayed=5)
    said = refusal(tmp_path / "out", [first, other])
    assert said.startswith(f"{other}: shard 2/2 is unfinished: 5 of 12 games are missing")


def test_a_shard_with_a_manager_at_work_is_refused(tmp_path: Path) -> None:
    first = make_shard(tmp_path, "1/2")
    with run_lock(first, "tournament run"):
        said = refusal(tmp_path / "out", [first])
    assert said == f"{first}: shard 1/2 is being played: merge it once it has ended"


def test_a_whole_run_is_no_shard(played: Path, tmp_path: Path) -> None:
    expected = "expected a shard of `tournament run --shard`, got a whole run"
    assert refusal(tmp_path / "out", [played / "test"]) == f"{played / 'test'}: {expected}"


def test_a_run_is_not_overwritten(tmp_path: Path) -> None:
    first, other = make_shards(tmp_path, of=2)
    before = (other / FILE).read_bytes()
    with pytest.raises(UsageError, match="expected a new folder, it has a run: choose another one, or move it away"):
        merge(other, [first])
    assert (other / FILE).read_bytes() == before


def test_a_kill_in_a_merge_leaves_no_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    shards = make_shards(tmp_path, of=2)
    with monkeypatch.context() as patch:
        patch.setattr("fiedler.tournament.run.merge._bench", killed)
        with pytest.raises(KeyboardInterrupt):
            merge(tmp_path / "out", shards)
    assert not (tmp_path / "out").exists()
    (tmp_path / "out").mkdir()
    Journal.open(tmp_path / "out").close()  # as a kill -9 leaves it
    assert merge(tmp_path / "out", shards).missing == ()


@pytest.mark.parametrize(
    ("shard", "message"),
    [
        ("5/4", "--shard: expected I/N with 1 ≤ I ≤ N ≤ 1000, as 3/16, got '5/4'"),
        ("30/40", "--shard 30/40: the plan has only 24 games"),
    ],
)
def test_an_impossible_shard_is_refused(bench: Bench, shard: str, message: str) -> None:
    bench.path.write_text(toml(TABLES), "utf-8")
    done = called("run", bench.path, "--results", bench.results, "--shard", shard)
    assert isinstance(done.exception, UsageError)
    assert str(done.exception) == message
    assert not list(bench.results.glob("*"))


def test_a_folder_keeps_its_shard(played: Path, tmp_path: Path) -> None:
    shutil.copytree(played / "test.shard-1-of-3", tmp_path / "test.shard-2-of-3")
    done = called("run", played / "schedule.toml", "--results", tmp_path, "--shard", "2/3")
    assert "--shard: the run has '1/3', the schedule '2/3'" in str(done.exception)


def test_the_dry_run_of_a_shard_has_its_own_pairs_and_games(played: Path, bench: Bench) -> None:
    """Also of one that has begun, and those that more `games_per_pair` bring."""

    def shown(text: str, results: Path) -> tuple[list[str], dict[str, Any]]:
        words = ["run", bench.path, "--shard", text, "--dry-run", "--results", results]
        return called(*words).stdout.splitlines(), json.loads(called(*words, "--json").stdout)

    bench.path.write_text(toml(TABLES), "utf-8")
    lines, document = shown("2/5", bench.results)
    assert lines[1:4] == ["  a - b: 3 games", "  a - c: 1 game", "  b - c: 1 game"]
    assert lines[4] == "3 pairs; this shard: 5 of 24 games"
    assert (document["name"], document["games"], document["planned"]) == ("test.shard-2-of-5", 5, 24)
    assert document["rms"] is None
    lines, document = shown("23/24", bench.results)
    assert lines[1:3] == ["  a - b: 1 game", "1 pair; this shard: 1 of 24 games"]
    assert document["pairs"] == [["a", "b"]]
    begun = list[str]()
    with Store.open(played / "test.shard-2-of-3") as store:
        begun += (f"  {a} - {b}: {games} game{'s' * (games > 1)}" for a, b, games in store.pair_games)
    lines, document = shown("2/3", played)
    assert sorted(lines[1:4]) == sorted(begun)
    assert lines[4:6] == ["3 pairs; this shard: 8 of 24 games", "finished: all games are played"]
    bench.path.write_text(toml({**TABLES, "tournament": {**TABLES["tournament"], "games_per_pair": 10}}), "utf-8")
    lines, document = shown("2/3", played)
    assert lines[4:6] == ["3 pairs; this shard: 10 of 30 games", "resuming a run: 8 finished, 2 left"]
    assert (document["games"], document["left"], document["planned"]) == (10, 2, 30)
