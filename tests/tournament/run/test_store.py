"""The store: finished games stay."""

from __future__ import annotations

import contextlib
import fcntl
import re
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import cast

import msgspec
import pytest

from fiedler.games.openings import Opening
from fiedler.games.result import Result
from fiedler.support.errors import UsageError, WorkError
from fiedler.support.lock import is_locked, run_lock
from fiedler.tournament.game import GameRecord, PlannedGame, now
from fiedler.tournament.pairing.plan import History, Played, plan
from fiedler.tournament.run.journal import ENDED, Attempt, Journal, VoidAttempt
from fiedler.tournament.run.records import Counts
from fiedler.tournament.run.run_file import FILE, find_run
from fiedler.tournament.run.status import folded, repeated_games, status
from fiedler.tournament.run.store import Store
from fiedler.tournament.schedule.schedule import UNNAMED, LimitSection, Pairing, PlayerEntry, Schedule, Tournament
from fiedler.tournament.termination import Termination
from tests.tournament.schedules import write_finished, write_void

PAIRS = [("a", "b"), ("b", "c")]
OPENINGS = [Opening(moves) for moves in (("a1",), ("a1", "c3"), ("c1",))]
GAMES = list(plan(PAIRS * 2, OPENINGS.__getitem__, 1, History(), 1))
SCHEDULE = Schedule(
    tournament=Tournament(name="run", game="tictactoe"),
    limit=LimitSection(nodes=1),
    players=tuple(PlayerEntry(name=name, player="random") for name in "abc"),
)
META = {
    "name": "run",
    "game": "tictactoe",
    "schedule": msgspec.json.decode(msgspec.json.encode(SCHEDULE)),
    "starts": [{"commit": None}],
}


def record(game: PlannedGame, **changes: object) -> GameRecord:
    fields = {"id": game.id, "number": game.number, "first": game.first, "second": game.second}
    values = {
        **fields,
        "opening": game.opening,
        "moves": (*game.opening, "c3"),
        "result": Result.FIRST_WIN,
        "termination": Termination.RULES,
        "detail": "three in a row",
        "started": "2026-01-01T00:00:00.000+00:00",
        "finished": "2026-01-01T00:00:01.000+00:00",
        "seconds_first": 0.5,
        "seconds_second": 0.25,
        "evaluations": "31/9/500",
    }
    return GameRecord(**{**values, **changes})  # type: ignore[arg-type]


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    with Journal.open(tmp_path) as opened:
        opened.record_start(META, {"a": {}, "b": {}, "c": {}})
        opened.record_step("2026-01-01", "all", dict.fromkeys(PAIRS, 2), OPENINGS, GAMES)
        yield opened


def test_a_plan_is_read_as_written(journal: Journal) -> None:
    with Store.open(journal.folder) as store:
        assert store.planned() == store.unplayed() == GAMES
        assert store.players == ("a", "b", "c")
        assert store.pairs == (("a", "b"), ("b", "c"))
        assert store.openings == tuple(OPENINGS)
        assert store.meta == META
        assert store.counts == Counts(scheduled=8, finished=0, begun=0, void=0)
        assert store.games() == []


def test_a_finished_game_is_read_as_written_and_written_once(journal: Journal) -> None:
    first = record(GAMES[2])
    write_finished(journal, first)
    again = Attempt(first.id, 1, 1)
    assert journal.write([], [], [(record(GAMES[2], result=Result.SECOND_WIN), again)]) == {again}
    write_finished(journal, record(GAMES[0], result=Result.DRAW))
    with Store.open(journal.folder) as store:
        assert [game.number for game in store.games()] == [1, 3]
        assert store.games()[1] == first
        assert first.loser == GAMES[2].second
        assert store.games()[0].loser is None
        assert store.counts == Counts(scheduled=8, finished=2, begun=0, void=0)
        assert GAMES[2] not in store.unplayed()


def test_the_command_that_resumes_a_run_is_known_from_its_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for folder, file, command in (
        ("results/one", "my plan.toml", "tournament run 'my plan.toml'"),
        ("elsewhere/two", "b.toml", "tournament run b.toml --results elsewhere"),
        ("results/three", UNNAMED, ""),
    ):
        Path(folder).mkdir(parents=True)
        kept = msgspec.to_builtins(msgspec.structs.replace(SCHEDULE, file=file))
        with Journal.open(Path(folder)) as journal:
            journal.record_start({**META, "schedule": kept}, {"a": {}, "b": {}, "c": {}})
        with Store.open(Path(folder)) as store:
            assert store.command == command


@pytest.mark.parametrize(
    ("attempt", "begun", "voids", "counts"),
    [
        (1, [1], [], True),
        (1, [1], [1], False),
        (2, [1, 2], [1], True),
        (1, [1, 2], [1], False),
        (2, [1, 2], [1, 2], False),
        (2, [1], [], False),
        (1, [], [], False),
    ],
)
def test_a_record_counts_only_at_the_latest_attempt_of_its_game(
    journal: Journal, attempt: int, begun: list[int], voids: list[int], *, counts: bool
) -> None:
    id_ = GAMES[0].id
    for number in begun:
        if number in voids:
            write_void(journal, id_, "no memory", number)
        else:
            journal.write([Attempt(id_, number, 1)], [], [])
    ended = Attempt(id_, attempt, 1)
    assert journal.write([], [], [(record(GAMES[0]), ended)]) == (set() if counts else {ended})
    assert journal.games() == ([record(GAMES[0])] if counts else [])
    assert journal.counts.void == len(voids)
    assert journal.attempts == ({id_: len(begun)} if begun else {})
    write_void(journal, id_, "no memory", 3)
    assert len(journal.games()) == counts, "a void attempt takes nothing back"


def test_attempt_1_of_a_killed_manager_is_not_attempt_1_of_its_successor(journal: Journal) -> None:
    """A start is written with the next end of a game, so both give their first lease of a game the same number."""
    killed, successor = (Attempt(GAMES[0].id, 1, start) for start in (1, 2))
    journal.write([successor], [], [])
    assert journal.write([], [VoidAttempt(killed, now(), "it was killed")], []) == set()
    assert (journal.counts.begun, journal.voids) == (1, [])
    assert journal.write([], [], [(record(GAMES[0]), killed)]) == {killed}
    assert journal.games() == []
    assert journal.write([], [], [(record(GAMES[0]), successor)]) == set()
    assert journal.games() == [record(GAMES[0])]


def test_a_game_has_the_node_of_its_attempt_and_the_reason_of_a_void_one(journal: Journal) -> None:
    first, why = GAMES[0], "node n2 lost: no word for 10 s"
    lost, repeated = Attempt(first.id, 1, 1, "n2"), Attempt(first.id, 2, 1, "n3")
    journal.write([lost], [], [])
    journal.write([repeated], [VoidAttempt(lost, now(), why)], [(record(first), repeated)])
    assert journal.voids == [(1, first.first, first.second, 1, why)]
    assert journal._rows("SELECT attempts, start, node FROM games WHERE number = 1") == [(2, 1, "n3")]
    assert journal._rows("SELECT attempt, start, node FROM void_attempts") == [(1, 1, "n2")]
    Store.open(journal.folder).close()


def test_games_begun_by_a_killed_manager_are_void(journal: Journal) -> None:
    journal.write([Attempt(game.id, 1, 1) for game in GAMES[:3]], [], [(record(GAMES[0]), Attempt(GAMES[0].id, 1, 1))])
    write_void(journal, GAMES[2].id, "no memory")
    assert journal.counts == Counts(scheduled=8, finished=1, begun=1, void=1)
    journal.record_start(META, {})
    assert journal.counts == Counts(scheduled=8, finished=1, begun=0, void=2)
    assert [(number, why) for number, *_, why in journal.voids] == [(2, ENDED), (3, "no memory")]


def test_a_failed_write_changes_nothing(journal: Journal) -> None:
    with pytest.raises(sqlite3.IntegrityError):
        write_finished(journal, record(GAMES[0]), record(GAMES[1], result="2-0"))
    assert journal.counts == Counts(scheduled=8, finished=0, begun=0, void=0)


def test_lag_credits_are_written_with_their_game(journal: Journal) -> None:
    first = GAMES[0]
    begun, bad = Attempt(first.id, 1, 1), cast("float", "not a number")
    finished = [(record(first), begun)]
    with pytest.raises(TypeError):
        journal.write([begun], [], finished, [(first.first, bad)])
    assert (journal.finished, journal.lag_credits) == ([], {})
    journal.write([begun], [], finished, [(first.first, 1.5), (first.second, 0.5)])
    assert (journal.finished, journal.lag_credits) == ([first.number], {first.first: 1.5, first.second: 0.5})


def test_an_extension_changes_no_stored_data(journal: Journal) -> None:
    write_finished(journal, record(GAMES[0]))
    journal.record_end("all games are planned")
    more = list(plan([("a", "b"), ("d", "c")], OPENINGS.__getitem__, 1, journal.history(), 2))
    journal.record_start(META, {"a": {"other": 1}, "d": {}})
    journal.record_step("2026-01-02", "more", {("b", "a"): 3, ("d", "c"): 1}, (*OPENINGS, Opening(("b2",))), more)
    assert journal.games() == [record(GAMES[0])]
    assert journal.planned() == [*GAMES, *more]
    assert journal.openings == (*OPENINGS, Opening(("b2",)))
    assert [(game.step, game.turn) for game in more] == [(2, 2), (2, 2), (2, 0), (2, 0)]
    assert journal.scheduled == 12
    assert journal.players == ("a", "b", "c", "d")
    assert journal.pairs == (("a", "b"), ("b", "c"), ("d", "c"))
    assert journal.identities["a"] == {}
    assert journal.steps == ("all", "more")
    assert journal.meta == META, "it is not over any more"


def test_the_history_has_the_planned_and_finished_games(journal: Journal) -> None:
    write_finished(journal, record(GAMES[2]), record(GAMES[0], termination="crash", finished="2026-01-02"))
    history = journal.history()
    assert history.finished == [
        Played("b", "c", Result.FIRST_WIN, 1, 0),
        Played("a", "b", Result.FIRST_WIN, 1, 0, failed=True),
    ]
    assert (history.planned, history.steps) == (8, 1)
    assert history.meetings == {frozenset("ab"): 2, frozenset("bc"): 2}


def test_a_benched_player_gets_no_more_games_and_keeps_its_finished_ones(journal: Journal) -> None:
    write_finished(journal, record(GAMES[0]))
    journal.bench("c", "5 failures in a row")
    assert journal.benched == {"c": "5 failures in a row"}
    assert {game.second for game in journal.unplayed()} == {"a", "b"}
    assert journal.counts == Counts(scheduled=4, finished=1, begun=0, void=0, given_up=4)
    write_finished(journal, record(GAMES[2]))  # was being played meanwhile
    assert journal.counts == Counts(scheduled=5, finished=2, begun=0, void=0, given_up=3)
    journal.readmit("c")
    assert journal.counts == Counts(scheduled=8, finished=2, begun=0, void=0)
    assert journal.benched == {}


def test_a_start_that_another_one_has_followed_writes_nothing(journal: Journal) -> None:
    game, late, present = GAMES[0], Attempt(GAMES[0].id, 2, 1), Attempt(GAMES[0].id, 1, 2)
    journal.record_start({"starts": [{}, {}]}, {})
    assert journal.write([late], [VoidAttempt(late, now(), "interrupted")], [(record(game), late)]) == {late}
    assert journal.counts.void == 0
    assert not journal.write([present], [], [(record(game), present)])
    assert journal.attempts[game.id] == 1


def test_a_start_that_was_planned_before_another_manager_wrote_changes_nothing(journal: Journal) -> None:
    """Both hold the folder: a file system of the network may lose a lock."""
    with contextlib.closing(Journal.open(journal.folder)) as other:
        other.begin_reading()
        journal.record_start({"starts": [{}, {}]}, {})
        with pytest.raises(WorkError, match="another manager has written to this run meanwhile"):
            other.record_start({"starts": [{}, {}]}, {})
        assert len(journal.starts) == 2
        other.begin_reading()
        other.record_start({"starts": [{}, {}, {}]}, {})
    assert len(journal.starts) == 3


def test_a_plan_without_results_can_be_removed(journal: Journal) -> None:
    journal.forget_plan()
    assert journal.is_new
    assert journal.players == ("a", "b", "c")
    journal.record_start({**META, "starts": [{}, {}]}, {"x": {}, "y": {}})
    assert not journal.is_new
    assert journal.players == ("x", "y")
    assert len(journal.starts) == 2 + len(META["starts"])


def test_a_folder_without_a_run_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"no run here: expected a file run\.sqlite"):
        Store.open(tmp_path)
    (tmp_path / FILE).write_bytes(b"no database at all, but long enough to be looked at" * 20)
    for kind in (Store, Journal):
        with pytest.raises(UsageError, match="cannot be read as a run"):
            kind.open(tmp_path)


@pytest.mark.parametrize(
    ("version", "message"),
    [(99, "schema 99 is of a newer Fiedler, this one reads 7"), (3, "schema 3 is of an older Fiedler")],
)
def test_a_run_of_another_version_is_refused(journal: Journal, version: int, message: str) -> None:
    journal._database.execute(f"PRAGMA user_version = {version}")
    for kind in (Store, Journal):
        with pytest.raises(UsageError, match=message):
            kind.open(journal.folder)


def test_a_run_is_found_by_path_and_by_name(journal: Journal) -> None:
    results = journal.folder.parent
    assert find_run(str(journal.folder)) == journal.folder
    assert find_run(journal.folder.name, results) == journal.folder
    with pytest.raises(UsageError, match=f"did you mean '{journal.folder.name}'"):
        find_run(journal.folder.name + "x", results)


def test_a_folder_with_something_else_in_place_of_the_file_is_not_a_run(tmp_path: Path) -> None:
    (tmp_path / "odd" / FILE).mkdir(parents=True)
    with pytest.raises(UsageError) as error:
        find_run("odd", tmp_path)
    assert "did you mean" not in str(error.value)


def test_a_lock_has_one_holder(tmp_path: Path) -> None:
    assert not is_locked(tmp_path)
    with run_lock(tmp_path, "tournament run"):
        assert is_locked(tmp_path)
        with (
            pytest.raises(UsageError, match="another `tournament run` is at work"),
            run_lock(tmp_path, "tournament run"),
        ):
            pass
    assert not is_locked(tmp_path)


def test_a_lock_on_a_removed_file_does_not_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The manager with the lock removes its folder after our opening of the file and before our lock."""
    flock, folder = fcntl.flock, tmp_path / "run"
    late = iter([True])

    def locked(handle: int, operation: int) -> None:
        if next(late, False):
            shutil.rmtree(folder)
        flock(handle, operation)

    monkeypatch.setattr(fcntl, "flock", locked)
    with run_lock(folder, "tournament run"):
        assert is_locked(folder)
        with pytest.raises(UsageError, match="another `tournament run`"), run_lock(folder, "tournament run"):
            pass


def test_the_status_while_players_are_probed(tmp_path: Path) -> None:
    Journal.open(tmp_path).close()
    begin = "the run has not begun, it has no plan yet: the same `tournament run` command starts it"
    with pytest.raises(UsageError, match=f"^{re.escape(f'{tmp_path}: {begin}')}$"):
        status(tmp_path)
    with run_lock(tmp_path, "tournament run"):
        found = status(tmp_path)
    assert (found["name"], found["state"], found["scheduled"]) == (tmp_path.name, "starting", 0)


def test_the_status_document_has_all_keys(journal: Journal) -> None:
    lost_on_time = record(GAMES[0], result="0-1", termination="time")
    same_again = record(GAMES[4], moves=lost_on_time.moves)
    write_void(journal, GAMES[1].id)
    write_finished(journal, lost_on_time, same_again)
    assert repeated_games(journal.games()) == (GAMES[4].first == GAMES[0].first)
    nothing = {"illegal move": 0, "time": 0, "crash": 0, "disconnect": 0}
    found = status(journal.folder)
    assert {player["name"] for player in found.pop("ranking")} == {"a", "b"}
    assert found.pop("answer")["decided"] is False
    assert found == {
        "name": "run",
        "game": "tictactoe",
        "state": "interrupted",
        "over": "",
        "decision": None,
        "scheduled": 8,
        "finished": 2,
        "given_up": 0,
        "progress": "2 of 8 games finished",
        "summary": "interrupted: 2 of 8 games finished, 1 attempt void and played again",
        "void": 1,
        "repeated": 1,
        "benched": {},
        "disputes": [],
        "absent": {},
        "away": {},
        "awaits": "",
        "steps": [{"number": 1, "at": "2026-01-01", "note": "all", "games": 8, "finished": 2, "given_up": 0}],
        "players": [
            {"name": "a", "games": 2, "failures": {**nothing, "time": 1}},
            {"name": "b", "games": 2, "failures": nothing},
            {"name": "c", "games": 0, "failures": nothing},
        ],
        "left_s": None,
        "time_left": "",
    }
    with run_lock(journal.folder, "tournament run"):
        assert status(journal.folder)["state"] == "running"


@pytest.mark.parametrize(
    ("pairing", "left_s", "words"),
    [
        (Pairing(method="round-robin"), 3.0, "about 3 s left"),
        (Pairing(method="adaptive", games=246), 122.0, "about 2 min 02 s left"),
        (Pairing(method="adaptive", games=246, goal="best"), 122.0, "about 2 min 02 s left at most"),
        (Pairing(method="swiss"), 3.0, "about 3 s left for the games planned so far"),
    ],
)
def test_the_time_left_follows_the_pace_of_the_last_manager(
    journal: Journal, pairing: Pairing, left_s: float, words: str
) -> None:
    """Two games within a second of its start, after an earlier game of a whole night."""
    schedule = msgspec.json.decode(msgspec.json.encode(msgspec.structs.replace(SCHEDULE, pairing=pairing)))
    start = {"at": "2026-01-01T00:00:00.000+00:00"}
    journal.record_start({**META, "schedule": schedule, "starts": [{"at": "2025-12-31T00:00:00.000+00:00"}, start]}, {})
    write_finished(journal, record(GAMES[0]), record(GAMES[1]))
    found = status(journal.folder)
    assert (found["left_s"], found["time_left"]) == (left_s, words)
    early = record(GAMES[2], finished="2025-12-31T09:00:00.000+00:00")
    write_finished(journal, early)
    assert status(journal.folder)["left_s"] == left_s - 0.5, "one game less"


def steps_of(*counts: tuple[str, int, int]) -> list[dict[str, object]]:
    return [
        {"number": number, "at": "", "note": note, "games": games, "finished": finished, "given_up": 0}
        for number, (note, games, finished) in enumerate(counts, start=1)
    ]


def test_consecutive_steps_of_one_kind_are_one_line() -> None:
    assert folded(steps_of(*[("", 8, 8)] * 127, ("", 8, 3))) == ["steps 1 to 128: 1019 of 1024 games"]
    assert folded([{**steps_of(("", 5, 5))[0], "given_up": 3}]) == ["step 1: 5 of 8 games, 3 given up"]
    batches = steps_of(("batch 1", 10, 10), ("batch 2", 20, 5))
    assert folded(batches) == ["step 1, batch 1: 10 of 10 games", "step 2, batch 2: 5 of 20 games"]


def test_finished_steps_of_many_are_folded() -> None:
    lines = folded(steps_of(*((f"ladder: {place}", 4, 4) for place in range(1, 40)), ("ladder: 40", 4, 1)))
    assert lines[0] == "steps 1 to 28: 112 of 112 games"
    assert lines[-1] == "step 40, ladder: 40: 1 of 4 games"
    assert len(lines) == 13
    waiting = folded(steps_of(("round 1", 4, 3), *((f"round {place}", 4, 0) for place in range(2, 20))))
    assert len(waiting) == 19, "what is not finished is shown"


def test_a_damaged_file_is_one_line(tmp_path: Path) -> None:
    with Journal.open(tmp_path) as journal:
        journal.record_start(META, {})
        journal.record_step("", "", {}, [], GAMES)
    data = bytearray((tmp_path / FILE).read_bytes())
    data[4096:] = bytes(len(data) - 4096)
    (tmp_path / FILE).write_bytes(data)
    for kind in (Store, Journal):
        with pytest.raises(UsageError, match=f"{FILE}: cannot be read as a run: "):
            kind.open(tmp_path)
    with Store.open_again(tmp_path) as store, pytest.raises(UsageError, match=f"{FILE}: cannot be read as a run: "):
        store.games()


def test_a_database_of_another_program_is_left_alone(tmp_path: Path) -> None:
    with contextlib.closing(sqlite3.connect(tmp_path / FILE)) as database:
        database.execute("CREATE TABLE games (x)")
    for kind in (Store, Journal):
        with pytest.raises(UsageError, match="got a database of another program"):
            kind.open(tmp_path)
