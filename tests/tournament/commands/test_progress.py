"""The progress of a run in lines: games, pace, and the ranking from time to time."""

from __future__ import annotations

import json
import re
import shlex

import msgspec
import pytest

from fiedler.games.openings import Opening
from fiedler.tournament.commands.progress import Lines, Pace
from fiedler.tournament.pairing.plan import History, plan
from fiedler.tournament.run.events import (
    Added,
    Annulled,
    Began,
    Benched,
    Decided,
    Ended,
    Event,
    Finished,
    Planned,
    Readmitted,
    Remarked,
    Started,
    Waiting,
)
from fiedler.tournament.run.interim import games_text, is_time_to_look
from fiedler.tournament.schedule.schedule import Pairing, Schedule
from fiedler.tournament.schedule.validation import load
from tests.folders import CONFIGS
from tests.tournament.commands.test_cli import run, tournament
from tests.tournament.manager_process import NODES
from tests.tournament.run.test_store import record
from tests.tournament.schedules import Bench, Tables, player, tables


def test_a_run_prints_lines(bench: Bench) -> None:
    bench.write([player("a"), player("b", "crash", 2)], limit=NODES)
    done = run(bench)
    check = shlex.join(["engine", "check", "--game", "tictactoe", "--", *player("b", "crash", 2)["command"]])
    cause = f"to find the cause: cd {shlex.quote(str(bench.folder))} && {check}"
    assert (done.returncode, done.stderr) == (0, f"warning: b failed: 2 × crash; {cause}\n")
    lines = done.stdout.splitlines()
    assert lines[:7] == [
        "Starting 2 players",
        "Tournament test: 0 of 2 games finished",
        "Predicted RMS error of the ratings: 113.5 Elo, 95 % intervals ± 222.4 Elo",
        "Started game 1 of 2 (a vs b)",
        "Finished game 1 (a vs b): 1-0 {crash: b exited with status 3, saying: Traceback: out of ideas}",
        "Started game 2 of 2 (b vs a)",
        "Finished game 2 (b vs a): 0-1 {crash: b exited with status 3, saying: Traceback: out of ideas}",
    ]
    assert lines[7] == "Finished tournament: all games are played"
    assert lines[8].startswith("Rank Name")
    assert lines[11:13] == [
        "",
        json.loads((bench.results / "test" / "ranking.json").read_text("utf-8"))["answer"]["text"],
    ]
    assert lines[12].startswith("undecided: no difference found")
    assert "report.html" in lines[-1]
    assert (bench.results / "test" / "report.html").is_file()


def test_a_quiet_run_prints_only_the_ranking(bench: Bench) -> None:
    bench.write([player("a"), player("b")], limit=NODES)
    lines = run(bench, "--quiet").stdout.splitlines()
    assert lines[0].startswith("Rank Name")
    assert not [line for line in lines if "game 1" in line or "results" in line]


@pytest.mark.parametrize("level", ["all", "some", "none"])
def test_each_level_of_progress_prints_its_lines(bench: Bench, level: str) -> None:
    bench.write(
        [player("a"), player("b", "crash", 2)], tournament={"games_per_pair": 12, "bench_after": 0}, limit=NODES
    )
    done = run(bench, "--progress", level)
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert ("Started game 1 of 12 (a vs b)" in lines) == (level == "all")
    assert any(line.startswith("Finished game 12 ") for line in lines) == (level == "all")
    assert ("Tournament test: 0 of 12 games finished" in lines) == (level != "none")
    looks = [line for line in lines if line.startswith("After ")]
    assert len(looks) == (0 if level == "none" else 1)
    assert all(re.fullmatch(r"After 10 of 12 games, about \d+ s left:", look) for look in looks)
    assert sum(line.startswith("Rank Name") for line in lines) == 1 + len(looks)
    assert "report.html" in lines[-1]


@pytest.mark.parametrize("other", ["--quiet", "--json"])
def test_progress_is_refused_with_options_that_hide_it(bench: Bench, other: str) -> None:
    bench.write([player("a"), player("b")], limit=NODES)
    done = run(bench, "--progress", "some", other)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"error: --progress: not with {other}, which shows no progress\n"


def test_the_ranking_and_the_state_of_a_sequential_test_have_one_count(capsys: pytest.CaptureFixture[str]) -> None:
    """The state of the test comes after the game, and of two games at once after both."""
    pairing = {"method": "sprt", "games": 40}
    schedule = msgspec.convert({**tables([player("a"), player("b")]), "pairing": pairing}, Schedule)
    games = [record(game) for game in plan([("a", "b")] * 10, lambda _: Opening(), 1, History(), 1)]
    lines = Lines(schedule, games[:8], each_game=False)
    lines(Began(at="", name="test", game="tictactoe", players=("a", "b"), scheduled=40, finished=8))
    for finished, game in enumerate(games[8:11], start=9):
        lines(Finished(at="", game=game, finished=finished, scheduled=40))
        if finished != 10:
            lines(Remarked(at="", text=f"SPRT: after {finished} games", games=finished))
    lines(Ended(at="", state="interrupted", finished=11, scheduled=40))
    shown = capsys.readouterr().out
    assert "\nAfter 11 of 40 games, " in shown
    assert shown.endswith("SPRT: after 11 games\n")
    assert shown.count("After ") == 1


def test_lines_have_the_ranking_from_time_to_time(capsys: pytest.CaptureFixture[str]) -> None:
    schedule = load(CONFIGS / "quickstart.toml")
    games = [record(game) for game in plan([("a", "b")] * 20, lambda _: Opening(), 1, History(), 1)]
    lines = Lines(schedule, games[:8], each_game=False)
    lines(Began(at="", name="test", game="uttt", players=("a", "b"), scheduled=40, finished=8))
    for finished, game in enumerate(games[8:], start=9):
        lines(Finished(at="", game=game, finished=finished, scheduled=40))
        if lines._looking is not None:  # a look is skipped while another one is computed
            lines._looking.join()
    lines(Ended(at="", state="finished", why="all games are played", finished=40, scheduled=40))
    shown = capsys.readouterr().out
    assert re.findall(r"^After (\d+) of 40 games, about \d+ s left:$", shown, re.MULTILINE) == ["10", "15", "20", "30"]
    after_10 = shown.split("After 15")[0].splitlines()
    assert after_10[2].startswith("Rank Name")
    assert {line.split()[4 + 1] for line in after_10[3:5]} == {"10"}, "games of earlier managers count"
    assert after_10[5].startswith("undecided: ")


def test_the_ranking_is_shown_at_growing_intervals() -> None:
    shown = [games for games in range(2000) if is_time_to_look(games, 2)]
    assert shown == [10, 15, 20, 30, 50, 70, 100, 150, 200, 300, 500, 700, 1000, 1500]
    assert [games for games in range(600) if is_time_to_look(games, 50)] == [150, 200, 300, 500]


PLANS: list[tuple[Tables, int, bool, str]] = [
    ({"method": "round-robin"}, 44, False, "30 of 44 games"),
    ({"method": "round-robin", "stop": {"error": 10}}, 44, False, "30 games, 44 planned so far"),
    ({"method": "adaptive", "games": 60}, 44, False, "30 games, 44 planned so far, at most 60"),
    ({"method": "adaptive", "games": 60}, 60, False, "30 of 60 games"),
    ({"method": "adaptive", "games": 60}, 44, True, "30 of 44 games"),
    ({"method": "sprt", "games": 120}, 32, False, "30 games, 32 planned so far, at most 120"),
    ({"method": "sprt"}, 32, False, "30 games, 32 planned so far"),
]


@pytest.mark.parametrize(("pairing", "scheduled", "is_all", "text"), PLANS)
def test_games_are_counted_against_the_plan_and_its_bound(
    pairing: Tables, scheduled: int, is_all: bool, text: str
) -> None:
    options = msgspec.convert(pairing, Pairing)
    assert games_text(options, 30, scheduled, is_all=is_all) == text
    given_up = games_text(options, 30, scheduled - 2, is_all=is_all, given_up=2)
    assert given_up == f"{text}, 2 given up", "the same total"


def test_lines_and_status_of_a_test_count_games_alike(bench: Bench) -> None:
    pairing = {"method": "sprt", "games": 8}
    bench.write([player("a"), player("b")], pairing=pairing, limit=NODES)
    lines = run(bench).stdout.splitlines()
    assert "Tournament test: 0 games finished, 8 planned so far, at most 8" not in lines
    assert "Tournament test: 0 of 8 games finished" in lines
    assert "Started game 8 (b vs a)" in lines
    shown = tournament("status", "test", "--results", bench.results).stdout
    assert shown.startswith("test (tictactoe): finished: 8 of 8 games")


def test_pace_counts_the_budget_until_the_run_is_decided() -> None:
    pairing = {"method": "adaptive", "games": 600, "stop": {"error": 10}}
    pace = Pace(msgspec.convert(pairing, Pairing))
    assert pace.total == 600
    pace.take(Planned(at="", step=1, note="batch 1", games=60, scheduled=60))
    assert pace.total == 600
    pace.take(Decided(at="", why="known", games=60, test="", given_up=0, scheduled=62))
    assert pace.total == 62


def test_pace_names_the_players_that_all_games_wait_for() -> None:
    pace = Pace(Pairing(method="round-robin"))
    pace.take(Began(at="", name="test", game="tictactoe", players=("a", "b"), scheduled=6, finished=0))
    first, second, third, *_ = plan([("b", "c")] * 2, lambda _: Opening(), 1, History(), 1)
    pace.take(Finished(at="", game=record(first), finished=1, scheduled=6))
    assert re.fullmatch(r"1 of 6 games, about \d+ s left", pace.text())
    pace.take(Finished(at="", game=record(second), finished=2, scheduled=6, waits_for=("a", "d")))
    assert pace.text() == "2 of 6 games, waiting for a and d"
    pace.take(Waiting(at="", players=("a",), games=4, seconds=9))
    assert pace.text() == "2 of 6 games, waiting for a"
    pace.take(Started(at="", game=third, planned=6, scheduled=6))
    assert re.fullmatch(r"2 of 6 games, about \d+ s left", pace.text())


def test_pace_keeps_the_total_of_the_plan_through_changes_by_hand() -> None:
    pace = Pace(Pairing(method="round-robin"))
    pace.take(Planned(at="", step=1, note="everybody", games=60, scheduled=60))
    game, _ = map(record, plan([("b", "c")], lambda _: Opening(), 1, History(), 1))
    changes: list[tuple[Event, str]] = [
        (Benched(at="", player="a", why="slow", given_up=20, scheduled=40), "0 of 60 games, 20 given up"),
        (Readmitted(at="", player="a", games=15, scheduled=55), "0 of 60 games, 5 given up"),
        (Benched(at="", player="a", why="slow", given_up=15, scheduled=40), "0 of 60 games, 20 given up"),
        (Added(at="", players=("c",), scheduled=40), "0 of 60 games, 20 given up"),
        (Planned(at="", step=2, note="c", games=30, scheduled=70), "0 of 90 games, 20 given up"),
        (Annulled(at="", game=game, why="lag", finished=0, scheduled=69), "0 of 90 games, 21 given up"),
    ]
    for event, text in changes:
        pace.take(event)
        assert pace.games_text() == text
