"""Signals: running games become void or finish, and the run resumes."""

from __future__ import annotations

import re
import shlex
import signal
from contextlib import closing

import pytest

from fiedler.tournament.run.store import Store
from tests.own_games import bot, written
from tests.patience import wait_until
from tests.tournament.manager_process import NODES, Manager, children, wait_until_gone
from tests.tournament.schedules import Bench, Tables, player


def test_judging_can_be_interrupted(bench: Bench) -> None:
    forever: Tables = {"plies": 6, "balance": "negamax depth=60 hash_mb=1"}
    bench.write([player("a"), player("b")], tournament={"game": "gomoku15"}, limit=NODES, openings=forever)
    run = Manager(bench)
    wait_until(lambda: children(run.process, b"--stdio"))
    judges = children(run.process, b"--stdio")
    run.process.send_signal(signal.SIGINT)
    code, errors = run.end()
    assert code == 130, errors
    wait_until(lambda: not any(judge.exists() for judge in judges), "a judge outlived the manager")
    assert not (bench.results / "test").exists()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interrupted_run_resumes(bench: Bench, number: signal.Signals) -> None:
    players = [player("a", "held", 3), player("b"), player("c")]
    bench.write(players, tournament={"games_per_pair": 40, "concurrency": 2}, limit=NODES)
    run = Manager(bench)
    run.wait_for("Finished", 3)
    wait_until((bench.folder / "holding").exists)
    run.process.send_signal(number)
    code, errors = run.end()
    assert code == 130
    words = ["tournament", "run", str(bench.path), "--results", str(bench.results)]
    assert f"resume with: {shlex.join(words)}" in errors
    assert "Traceback" not in errors
    wait_until_gone(bench)
    before = bench.games()
    assert 3 <= len(before) < 120
    with closing(Store.open(bench.results / "test")) as store:
        assert store.state == "interrupted"
        assert store.counts.begun == 0
        assert 0 < store.counts.void <= 2
    (bench.folder / "released").touch()
    after = bench.play()
    assert len(after) == 120
    assert not {game.id: game for game in before}.items() - {game.id: game for game in after}.items()


def test_an_interruption_exits_with_130_also_without_the_schedule(bench: Bench) -> None:
    bench.write([player("a", "silent"), player("b")], limit={"nodes": 1, "stall_s": 60})
    run = Manager(bench)
    run.wait_for("Started", 1)
    bench.path.write_text("[", encoding="utf-8")
    run.process.send_signal(signal.SIGINT)
    assert run.end() == (130, "")


def test_an_interruption_does_not_wait_for_a_hung_player(bench: Bench) -> None:
    bench.write([player("a", "silent"), player("b")], limit={"nodes": 1, "stall_s": 3600})
    run = Manager(bench)
    run.wait_for("Started", 1)
    run.process.send_signal(signal.SIGINT)
    assert run.end()[0] == 130
    wait_until_gone(bench)


def test_an_interrupted_run_may_finish_its_running_games(bench: Bench) -> None:
    table = {"games_per_pair": 40, "concurrency": 2}
    bench.write([player("a", "held"), player("b")], tournament=table, limit=NODES)
    log = ["--log", str(bench.folder / "all traffic.log")]
    run = Manager(bench, "--on-interrupt", "finish", "--concurrency", "2", *log)
    run.wait_for("Started", 2)
    run.process.send_signal(signal.SIGINT)
    run.wait_for("warning: stopping once", 1)
    (bench.folder / "released").touch()
    code, errors = run.end()
    assert code == 130
    words = ["tournament", "run", str(bench.path), "--results", str(bench.results), "--concurrency", "2", *log]
    assert f"resume with: {shlex.join(words)}\n" in errors
    events = (bench.results / "test" / "events.jsonl").read_text("utf-8")
    warned = events.index("stopping once 2 games have ended; a second interrupt makes them void")
    assert '"event":"started"' not in events[warned:]
    assert events[warned:].count('"event":"finished"') == 2
    with closing(Store.open(bench.results / "test")) as store:
        assert (store.counts.void, store.counts.begun, store.state) == (0, 0, "interrupted")
    wait_until_gone(bench)


PATIENT = "from fiedler.tournament.run import interruption; interruption.PATIENCE_S = {}"


def test_the_same_interrupt_twice_lets_running_games_finish(bench: Bench) -> None:
    """A wrapper may pass on what the terminal sent already."""
    bench.write([player("a", "held"), player("b")], tournament={"games_per_pair": 40}, limit=NODES)
    run = Manager(bench, "--on-interrupt", "finish", first=PATIENT.format(3600.0))
    run.wait_for("Started", 1)
    run.process.send_signal(signal.SIGINT)
    run.wait_for("warning: stopping once 1 game", 1)
    run.process.send_signal(signal.SIGTERM)
    (bench.folder / "released").touch()
    assert run.end()[0] == 130
    with closing(Store.open(bench.results / "test")) as store:
        assert (store.counts.void, store.counts.finished) == (0, 1)


def test_a_second_interrupt_makes_running_games_void(bench: Bench) -> None:
    bench.write([player("a", "silent"), player("b")], limit={"nodes": 1, "stall_s": 60})
    run = Manager(bench, "--on-interrupt", "finish", first=PATIENT.format(0.0))
    run.wait_for("Started", 1)
    run.process.send_signal(signal.SIGINT)
    run.wait_for("warning: stopping once 1 game", 1)
    assert run.process.poll() is None
    run.process.send_signal(signal.SIGINT)
    assert run.end()[0] == 130
    with closing(Store.open(bench.results / "test")) as store:
        assert (store.counts.void, store.counts.finished) == (1, 0)


def test_running_games_finish_before_a_stepwise_run_stops(bench: Bench) -> None:
    players = [player("a", "held"), *(player(name) for name in "bcde")]
    bench.write(players, tournament={"concurrency": 3}, limit=NODES, pairing={"method": "swiss"})
    run = Manager(bench, "--on-interrupt", "finish")
    run.wait_for("Finished", 1)
    run.process.send_signal(signal.SIGTERM)
    run.wait_for("warning: stopping once", 1)
    (bench.folder / "released").touch()
    assert run.end()[0] == 130
    assert len(bench.games()) < 12
    assert len(bench.play()) == 12


def test_a_finished_game_is_kept_while_its_loser_is_stopped(bench: Bench) -> None:
    bench.write([player("a", "silent"), player("b")], limit={"movetime_ms": 5000})
    run = Manager(bench, first="from fiedler.tournament.run import seats; seats.SETTLE_S = 3600")
    run.wait_for("Finished", 1)
    run.process.send_signal(signal.SIGINT)
    assert run.end()[0] == 130
    assert len(bench.games()) == 1
    with closing(Store.open(bench.results / "test")) as store:
        assert store.counts.void == 0


REPORTING = """
from fiedler.tournament import report

once = report.write_report
def again_and_again(folder):
    while True:
        once(folder)
        (folder / "reported").touch()
report.write_report = again_and_again
"""


def test_the_report_can_be_interrupted(bench: Bench) -> None:
    bench.write([player("a"), player("b")], limit=NODES)
    run = Manager(bench, first=REPORTING)
    run.wait_for("Finished", 2)
    folder = bench.results / "test"
    wait_until((folder / "reported").exists)
    run.process.terminate()
    code, errors = run.end()
    assert (code, errors.splitlines()) == (
        130,
        [
            "interrupted while the report was made; 2 finished games kept",
            f"derive the rest with: tournament report {shlex.quote(str(folder))}",
        ],
    )


HANGS = {
    "of a game": (signal.SIGINT, 0, r", held up in breakthrough\.py, line \d+"),
    "of an opening": (signal.SIGTERM, 2, ""),
}


@pytest.mark.parametrize(("number", "plies", "place"), HANGS.values(), ids=HANGS)
def test_a_second_signal_ends_a_run_whose_rules_do_not_return(
    bench: Bench, number: signal.Signals, plies: int, place: str
) -> None:
    mark = bench.folder / "hanging"
    hang = f"        import pathlib\n        pathlib.Path({str(mark)!r}).touch()\n{HANGING}"
    rules = written(bench.folder / "breakthrough.py", "        squares = list(self.squares)\n", hang)
    bench.write([bot("random"), bot("greedy")], tournament={"game": rules}, limit=NODES, openings={"plies": plies})
    run = Manager(bench)
    wait_until(mark.exists)

    def ends() -> bool:
        run.process.send_signal(number)
        return run.process.poll() is not None

    wait_until(ends, "the second signal does not end it")
    code, errors = run.end()
    assert code == 130
    assert re.match(f"error: interrupted again, ended at once{place}; finished games are kept", errors.strip()), errors
    wait_until_gone(bench)


HANGING = """\
        while True:
            try:
                while True:
                    pass
            except BaseException:
                pass
"""


def test_nohup_ignores_the_hangup(bench: Bench) -> None:
    bench.write([player("a", "held"), player("b")], limit=NODES)
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    run = Manager(bench)
    signal.signal(signal.SIGHUP, before)
    run.wait_for("Started", 1)
    run.process.send_signal(signal.SIGHUP)
    (bench.folder / "released").touch()
    assert run.end() == (0, "")
