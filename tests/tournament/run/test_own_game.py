"""A user's game in a schedule: named by its file or installed, known to every process, and void where it fails."""

from __future__ import annotations

import os
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from fiedler import games
from fiedler.support.errors import UsageError, WorkError
from fiedler.tournament.game import reason
from fiedler.tournament.report.writing import write_report
from fiedler.tournament.run.duration import estimate
from fiedler.tournament.run.events import Voided
from fiedler.tournament.run.run_file import FILE
from fiedler.tournament.run.store import Store
from fiedler.tournament.schedule.validation import load
from tests.games.test_rules import install
from tests.own_games import BREAKTHROUGH, bot, forgotten, written
from tests.patience import PATIENCE
from tests.tournament.manager_process import COMMAND
from tests.tournament.schedules import Bench, shipped_games

pytestmark = [pytest.mark.programs, pytest.mark.usefixtures("_forget")]
LIMIT = {"movetime_ms": 60_000, "startup_s": PATIENCE}
FAULTS = "the rules of breakthrough (breakthrough.py:GAME) failed: ZeroDivisionError: "


@pytest.fixture
def _forget() -> Iterator[None]:
    with forgotten():
        yield


def write(bench: Bench, game: str, plies: int = 0, reconnect_s: float = 0.0) -> None:
    tournament = {"game": game, "games_per_pair": 6, "concurrency": 2}
    limit = {**LIMIT, "reconnect_s": reconnect_s}
    bench.write([bot("random"), bot("greedy")], tournament=tournament, openings={"plies": plies}, limit=limit)


def test_the_shipped_schedule_is_played(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    played = shipped_games("own-game", "movetime_ms = 500", "movetime_ms = 60_000")
    assert Counter(one.loser for one in played) == {"random": 40}
    assert {reason(one) for one in played} <= {"a pawn on the last row", "taking all pawns"}
    assert len({one.opening for one in played}) == 20, "distinct up to the mirror image"


@pytest.mark.parametrize("processes", [1, 2])
def test_a_file_of_rules_is_known_to_every_process(bench: Bench, processes: int) -> None:
    bench.processes = processes
    write(bench, BREAKTHROUGH, plies=2)
    assert len(bench.play()) == 6
    assert len(bench.play()) == 6, "the run resumes after a replay by the rules"
    folder = bench.results / "test"
    write_report(folder)
    assert '[Game "breakthrough"]' in (folder / "games.pgn").read_text("utf-8")
    page = (folder / "report.html").read_text("utf-8")
    assert '"geometry":{"game":"breakthrough"' in page, "its board is drawn"
    with closing(Store.open(folder)) as store:
        assert (store.schedule.tournament.game, store.schedule.rules) == ("breakthrough", BREAKTHROUGH)


def test_a_report_names_the_rules_that_it_lacks(bench: Bench) -> None:
    write(bench, BREAKTHROUGH)
    bench.play()
    games.REGISTERED.pop("breakthrough")
    with pytest.raises(UsageError, match=rf"^unknown game 'breakthrough' .*; its rules: FIEDLER_GAMES={BREAKTHROUGH}$"):
        write_report(bench.results / "test")


def test_a_replay_by_failing_rules_names_the_game(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    write(bench, BREAKTHROUGH)
    bench.play()
    monkeypatch.setattr(sys.modules["breakthrough"].Position, "move_text", lambda *_: 1 // 0)
    row = f"{bench.results / 'test' / FILE}: row 1 of the table games"
    with pytest.raises(WorkError) as error:
        write_report(bench.results / "test")
    assert str(error.value).startswith(f"{row}: {FAULTS}")


def test_a_plan_estimates_the_time_by_random_games(bench: Bench) -> None:
    write(bench, BREAKTHROUGH)
    found = estimate(load(bench.path), 6, 1)
    assert found.seconds is not None
    assert found.seconds % (6 * 60) == 0
    assert 8 <= found.seconds / (6 * 60) <= 85


def test_a_player_of_ours_that_needs_no_core_plays_it(bench: Bench) -> None:
    """`random` is a program of its own here, to which the schedule's rules are named."""
    tournament = {"game": BREAKTHROUGH, "games_per_pair": 2}
    players = [{"name": "ours", "player": "random"}, bot("greedy")]
    assert [one.loser for one in bench.play(players, tournament=tournament, limit=LIMIT)] == ["ours", "ours"]


def test_an_installed_game_is_known_to_every_command(bench: Bench) -> None:
    installed = bench.folder / "site"
    installed.mkdir()
    written(installed / "own_rules.py")
    install(installed, "my-game", "own_rules:GAME")
    write(bench, "breakthrough", plies=2)
    environment = {**os.environ, "PYTHONPATH": str(installed)}

    def tournament(*words: str) -> str:
        done = subprocess.run(
            [*COMMAND, *words],
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
            cwd=bench.folder,
            env=environment,
        )
        assert (done.returncode, done.stderr) == (0, "")
        return done.stdout

    tournament("run", "schedule.toml", "--processes", "2", "--quiet")
    assert tournament("status", "test").startswith("test (breakthrough): finished: 6 of 6 games")
    assert "report.html" in tournament("report", "test")
    assert tournament("export", "test", "--format", "pgn").count('[Game "breakthrough"]') == 6


@pytest.mark.parametrize("reconnect_s", [0.0, PATIENCE])
def test_failing_rules_make_three_games_void_and_end_the_run(bench: Bench, reconnect_s: float) -> None:
    place = written(
        bench.folder / "breakthrough.py",
        "        squares = list(self.squares)\n",
        "        squares = list(self.squares)\n        1 // (squares.count('.') - 13)\n",  # after a capture
    )
    write(bench, place, reconnect_s=reconnect_s)
    with pytest.raises(WorkError) as error:
        bench.play()
    line = f"{FAULTS}integer division or modulo by zero (breakthrough.py, line "
    assert str(error.value).startswith(line)
    assert str(error.value).endswith(" (3 void games)")
    voids = [event.why for event in bench.events if isinstance(event, Voided)]
    assert 3 <= len([why for why in voids if why.startswith(line)]) <= 4, "the other table may fail at that moment"
    assert bench.games() == []


DECLARED = {
    "plies": (
        "most_plies = 85",
        "most_plies = 4",
        "most_plies: expected an end within 4 plies, got a running game",
    ),
    "turns": (
        "        self.side_to_move = 1 - self.side_to_move",
        "        self.side_to_move = 1",
        "takes_turns: expected sides that alternate, got Black (♟) twice in a row",
    ),
}


@pytest.mark.parametrize(("old", "new", "wrong"), DECLARED.values(), ids=DECLARED)
def test_rules_that_do_not_keep_their_declarations_fail(bench: Bench, old: str, new: str, wrong: str) -> None:
    """The players have sound rules of their own."""
    write(bench, written(bench.folder / "breakthrough.py", old, new))
    with pytest.raises(WorkError) as error:
        bench.play()
    assert str(error.value) == f"{FAULTS.partition(' failed: ')[0]} failed: {wrong} (3 void games)"
    assert bench.games() == []


ONCE = """
import os

def fail_once(mark):
    try:
        os.close(os.open(mark, os.O_CREAT | os.O_EXCL))
    except FileExistsError:
        return
    1 / 0
"""


@pytest.mark.parametrize("processes", [1, 2])
def test_a_single_failure_costs_a_game_that_is_played_again(bench: Bench, processes: int) -> None:
    mark = bench.folder / "failed"
    place = written(
        bench.folder / "breakthrough.py",
        "        squares = list(self.squares)\n",
        f"        squares = list(self.squares)\n        fail_once({str(mark)!r})\n",
    )
    path = bench.folder / "breakthrough.py"
    path.write_text(path.read_text("utf-8") + ONCE, "utf-8")
    bench.processes = processes
    write(bench, place)
    assert len(bench.play()) == 6
    voids = [event.why for event in bench.events if isinstance(event, Voided)]
    assert [why[: len(FAULTS)] for why in voids] == [FAULTS]


WRONG = {
    "no-such.py:GAME": "no such file: {folder}/no-such.py",
    "empty.py:GAME": "{folder}/empty.py:GAME: there is no GAME in empty.py",
    "breakthrogh": "unknown game 'breakthrogh' (known: tictactoe, ",
}


@pytest.mark.parametrize(("game", "wrong"), WRONG.items(), ids=WRONG)
def test_a_schedule_without_its_game_is_one_line(bench: Bench, game: str, wrong: str) -> None:
    (bench.folder / "empty.py").touch()
    write(bench, game)
    with pytest.raises(UsageError) as error:
        load(bench.path)
    assert str(error.value).startswith(f"{bench.path}: tournament.game: {wrong.format(folder=bench.folder)}")
    assert "\n" not in str(error.value)
