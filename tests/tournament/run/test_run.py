"""Whole runs: order, determinism, openings, folders."""

from __future__ import annotations

import re
from contextlib import closing
from pathlib import Path

import pytest

from fiedler.support.errors import UsageError, WorkError
from fiedler.support.lock import run_lock
from fiedler.tournament.play.endpoint import Endpoint, Program, Site
from fiedler.tournament.play.endpoints import make_endpoint
from fiedler.tournament.play.machine import MachineError
from fiedler.tournament.play.session import PlayerSession
from fiedler.tournament.run import lease as leases
from fiedler.tournament.run import manager
from fiedler.tournament.run.events import Finished, Judged, Started, Voided, Warned
from fiedler.tournament.run.lease import Lease
from fiedler.tournament.run.store import Store
from fiedler.tournament.run.table import LocalTable
from fiedler.tournament.schedule.schedule import PlayerEntry, Schedule
from tests.patience import PATIENCE
from tests.tournament.manager_process import NODES, PLIES, RANDOM, UTTT, played
from tests.tournament.schedules import Bench, Tables, misbehaving, player


def test_a_run_plays_every_game_once_with_colours_reversed(bench: Bench) -> None:
    games = bench.play(RANDOM, tournament=UTTT, limit=NODES, openings=PLIES)
    assert [game.number for game in games] == list(range(1, 25))
    assert all(game.moves[:2] == game.opening and len(game.opening) == 2 for game in games)
    pairs = {(game.first, game.second, game.opening) for game in games}
    assert len(pairs) == 24
    assert {(second, first, opening) for first, second, opening in pairs} == pairs
    assert bench.play() == games, "a finished run has nothing left to play"


def test_events_cover_the_whole_run(bench: Bench) -> None:
    games = bench.play([player("a"), player("b")], limit=NODES)
    kinds = [type(event).__name__ for event in bench.events]
    assert kinds == ["Probing", "Began", "Predicted", "Started", "Finished", "Started", "Finished", "Ended"]
    kinds.remove("Probing")
    lines = (bench.results / "test" / "events.jsonl").read_text("utf-8").splitlines()
    begin = [f'{{"seq":{seq},"event":"{kind.lower()}","v":2' for seq, kind in enumerate(kinds, start=1)]
    assert [line[: len(start)] for line, start in zip(lines, begin, strict=True)] == begin
    assert [event.game for event in bench.events if isinstance(event, Finished)] == games
    with closing(Store.open(bench.results / "test")) as store:
        assert store.meta["seed"] == 1
        assert store.schedule.names == ("a", "b")
    assert (bench.results / "test" / "schedule.toml").read_text("utf-8") == bench.path.read_text("utf-8")


def test_the_same_seed_gives_the_same_games_at_every_concurrency(bench: Bench, tmp_path: Path) -> None:
    one = bench.play(RANDOM, tournament={**UTTT, "concurrency": 1}, limit=NODES, openings=PLIES)
    bench.results = tmp_path / "again"
    many = bench.play(RANDOM, tournament={**UTTT, "concurrency": 5}, limit=NODES, openings=PLIES)
    assert played(one) == played(many)
    bench.results = tmp_path / "other"
    other = bench.play(RANDOM, tournament={**UTTT, "seed": 2}, limit=NODES, openings=PLIES)
    assert not set(played(one)) & set(played(other))
    assert {game.moves for game in one} != {game.moves for game in other}


def test_fresh_keeps_the_old_run(bench: Bench) -> None:
    old = bench.play([player("a"), player("b")], limit=NODES)
    for number in (1, 2):
        manager.run(bench.path, results=bench.results, fresh=True)
        with closing(Store.open(bench.results / f"test.old-{number}")) as store:
            assert played(store.games()) == played(old)
    assert bench.games() != old, "they have other time stamps"


def test_a_second_manager_is_refused(bench: Bench) -> None:
    games = bench.play([player("a"), player("b")], limit=NODES)
    with (
        run_lock(bench.results / "test", "tournament run"),
        pytest.raises(UsageError, match="another `tournament run`"),
    ):
        bench.play()
    assert bench.games() == games


def test_too_few_openings_are_used_again_with_a_warning(bench: Bench) -> None:
    games = bench.play(
        [player("a"), player("b")], tournament={"games_per_pair": 10}, limit=NODES, openings={"plies": 1}
    )
    openings = [game.opening for game in games]
    assert openings[:2] == openings[6:8]
    assert len(set(openings)) == 3
    warnings = [event.text for event in bench.events if hasattr(event, "text")]
    assert warnings == ["openings: only 3 distinct, 5 needed for each pair: they are used again in order"]


def test_openings_come_from_a_file(bench: Bench) -> None:
    (bench.folder / "lines.txt").write_text("b2 a1\nb2 b1\n", encoding="utf-8")
    openings = {"file": "lines.txt"}
    games = bench.play([player("a"), player("b")], tournament={"games_per_pair": 4}, limit=NODES, openings=openings)
    assert {game.opening for game in games} == {("b2", "a1"), ("b2", "b1")}


def test_adjudicated_games_are_results(bench: Bench) -> None:
    rules = {"max_plies": 20, "resign_score": 400, "resign_moves": 1}
    local = [{"name": name, "player": "mcts", "options": {"simulations": 50}} for name in "ab"]
    games = bench.play(local, tournament={"game": "uttt"}, limit=NODES, adjudication=rules)
    assert {game.termination for game in games} == {"adjudication"}
    assert all(len(game.moves) <= 20 for game in games)
    with pytest.raises(UsageError, match=r"adjudication.max_plies: the run has 20, the schedule 30"):
        bench.play(local, tournament={"game": "uttt"}, limit=NODES, adjudication={**rules, "max_plies": 30})


def test_balanced_openings_are_judged_before_the_first_game_and_stay(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("fiedler.tournament.run.openings.PROGRESS_PAUSE_S", 0.0)
    openings: Tables = {"plies": 3, "balance": "negamax depth=9 hash_mb=1"}
    players = [player("a"), player("b")]
    games = bench.play(players, tournament={"games_per_pair": 4}, limit=NODES, openings=openings)
    kinds = [type(event).__name__ for event in bench.events]
    assert kinds[0] == "Judged"
    assert "Judged" not in kinds[kinds.index("Began") :]
    judged = [event for event in bench.events if isinstance(event, Judged)]
    assert judged[-1].judged >= judged[-1].kept == 2
    monkeypatch.setattr("fiedler.tournament.run.openings.OpeningEvaluator", None)
    assert bench.play() == games
    changed = {**openings, "tolerance": 0.2}
    with pytest.raises(UsageError, match=r"openings.tolerance: the run has 0.1, the schedule 0.2"):
        bench.play(players, tournament={"games_per_pair": 4}, limit=NODES, openings=changed)


class Exhausted(Program):
    """A program whose starts fail through the machine, every other time or always."""

    always = False
    attempts = 0

    def idle(self) -> PlayerSession | None:
        return None

    async def acquire(self, *, fresh: bool = False) -> PlayerSession:
        type(self).attempts += 1
        if self.attempts > 1 and (self.always or self.attempts % 2 == 0):
            raise MachineError("this machine cannot start 'b' now: too many open files")
        return await super().acquire(fresh=fresh)


@pytest.mark.parametrize("always", [False, True])
def test_a_fault_of_the_machine_makes_a_game_void_and_it_is_replayed(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, always: bool
) -> None:
    monkeypatch.setattr(Exhausted, "always", always)
    monkeypatch.setattr(Exhausted, "attempts", 0)
    monkeypatch.setattr("fiedler.tournament.run.runner.VOID_PAUSE_S", 0.01)

    def flaky(entry: PlayerEntry, schedule: Schedule, site: Site) -> Endpoint:
        if entry.name == "b":
            return Exhausted(entry, schedule, site)
        return make_endpoint(entry, schedule, site)

    monkeypatch.setattr("fiedler.tournament.run.venue.make_endpoint", flaky)
    if always:
        with pytest.raises(WorkError, match=r"too many open files \(3 void games in a row\)"):
            bench.play([player("a"), player("b")], limit={**NODES, "startup_s": PATIENCE})
    else:
        games = bench.play([player("a"), player("b")], limit={**NODES, "startup_s": PATIENCE})
        assert [game.termination for game in games] == ["rules", "rules"]
    voided = [event.game.id for event in bench.events if isinstance(event, Voided)]
    started = [event.game.id for event in bench.events if isinstance(event, Started)]
    assert len(voided) == (3 if always else 2)
    assert set(voided) <= set(started)
    with closing(Store.open(bench.results / "test")) as store:
        assert store.counts.void == len(voided)
        assert store.counts.begun == 0


@pytest.mark.parametrize("bad", [{2}, {1, 2}], ids=["one", "both"])
def test_one_bad_table_does_not_end_a_run(bench: Bench, monkeypatch: pytest.MonkeyPatch, bad: set[int]) -> None:
    """A table with three void games is closed; another one plays them."""
    play = LocalTable.play

    async def flaky(table: LocalTable, lease: Lease) -> leases.FinishedLease | leases.VoidedLease:
        return leases.VoidedLease(lease, "its cable is loose") if lease.table in bad else await play(table, lease)

    monkeypatch.setattr(LocalTable, "play", flaky)
    monkeypatch.setattr("fiedler.tournament.run.runner.VOID_PAUSE_S", 0.0)
    players, table = [player("a"), player("b")], {"games_per_pair": 20, "concurrency": 2}
    if len(bad) == 2:
        with pytest.raises(WorkError, match=r"^its cable is loose \(3 void games in a row\)$"):
            bench.play(players, tournament=table, limit=NODES)
    else:
        assert len(bench.play(players, tournament=table, limit=NODES)) == 20
    closed = [event.text for event in bench.events if isinstance(event, Warned)]
    assert [re.sub(r"table \d", "table", text) for text in closed] == [
        "no more games at table: its cable is loose (3 void games in a row)"
    ]
    voided = [(event.game.id, event.attempt) for event in bench.events if isinstance(event, Voided)]
    assert len(voided) == len(set(voided)) == 3 * len(bad)


def test_a_command_runs_in_the_folder_of_the_schedule(bench: Bench) -> None:
    (bench.folder / "engine.py").write_text(Path(misbehaving("fine")[3]).read_text(encoding="utf-8"), encoding="utf-8")
    local = {"name": "local", "command": ["python3", "engine.py", "fine"]}
    assert [game.termination for game in bench.play([local, player("b")], limit=NODES)] == ["rules", "rules"]
