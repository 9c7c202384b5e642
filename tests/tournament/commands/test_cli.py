"""The command line: its output and its exit codes."""

from __future__ import annotations

import asyncio
import io
import json
import os
import pty
import re
import shlex
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner
from msgspec.structs import replace
from rich.console import Console

from tests.folders import CONFIGS
from tests.patience import PATIENCE
from tests.tournament.manager_process import COMMAND, NODES
from tests.tournament.run.test_store import record
from tests.tournament.schedules import Bench, Tables, example, player, tables
from tournament import cli
from tournament.cli import COMMANDS
from tournament.commands.progress import Lines, LiveTable, Pace
from tournament.game import GameRecord
from tournament.pairing import Step
from tournament.pairing.plan import History, plan
from tournament.ratings import Results, rate_as
from tournament.run import manager
from tournament.run.events import (
    Added,
    Annulled,
    Began,
    Benched,
    Decided,
    Ended,
    Event,
    Feed,
    Finished,
    Planned,
    Rated,
    Readmitted,
    Remarked,
    Started,
    Waiting,
)
from tournament.run.interim import games_text, is_time_to_look
from tournament.run.rater import Rater
from tournament.schedule.schedule import Pairing, RatingSection, Schedule
from tournament.schedule.validation import load


def tournament(*arguments: object, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    words = [*COMMAND, *map(str, arguments)]
    return subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE, check=False, cwd=folder)


def run(bench: Bench, *options: str) -> subprocess.CompletedProcess[str]:
    return tournament("run", bench.path, "--results", bench.results, *options)


def test_help_names_every_command_and_imports_none() -> None:
    shown = subprocess.run([*COMMAND, "--help"], capture_output=True, text=True, timeout=PATIENCE, check=True).stdout
    assert all(re.search(rf"^  {name} ", shown, re.MULTILINE) for name in COMMANDS)
    probe = "import sys, tournament.cli; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True).stdout.split()
    assert not {"numpy", "asyncio", "rich", "ssl", "importlib.metadata"} & set(loaded)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help(name: str) -> None:
    done = CliRunner().invoke(cli.tournament, [name, "--help"])
    assert (done.exit_code, done.stderr) == (0, "")
    assert f"tournament {name} " in done.stdout


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
    games = [record(game) for game in plan([("a", "b")] * 10, lambda _: (), 1, History(), 1)]
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
    games = [record(game) for game in plan([("a", "b")] * 20, lambda _: (), 1, History(), 1)]
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


def test_json_prints_only_the_final_status(bench: Bench) -> None:
    bench.write([player("a"), player("b")], tournament={"games_per_pair": 4}, limit=NODES)
    document = json.loads(run(bench, "--json").stdout)
    assert (document["state"], document["scheduled"], document["finished"], document["repeated"]) == (
        "finished",
        4,
        4,
        2,
    )
    again = json.loads(tournament("status", bench.results / "test", "--json").stdout)
    assert again == document
    by_name = tournament("status", "test", folder=bench.folder)
    assert by_name.stdout.startswith("test (tictactoe): finished: 4 of 4 games\n")
    ranking = (bench.results / "test" / "ranking.txt").read_text("utf-8").split("\nwarning")[0].rstrip()
    assert ranking in by_name.stdout
    assert document["answer"]["text"] == ranking.splitlines()[-1]


def test_status_shows_steps_and_benched_players(bench: Bench) -> None:
    players = [player("a"), player("b", "crash", 1), player("c"), player("d")]
    bench.play(players, tournament={"bench_after": 2}, limit=NODES, pairing={"method": "swiss", "rounds": 2})
    document = json.loads(tournament("status", bench.results / "test", "--json").stdout)
    assert [step["number"] for step in document["steps"]] == [1, 2]
    keys = {"number", "at", "note", "games", "finished", "given_up"}
    assert all(step.keys() == keys for step in document["steps"])
    assert sum(step["given_up"] for step in document["steps"]) == document["given_up"]
    assert sum(step["finished"] for step in document["steps"]) == document["finished"]
    assert document["benched"] == {"b": document["benched"]["b"]}
    assert document["benched"]["b"].startswith("2 failures in a row")
    text = tournament("status", bench.results / "test").stdout
    assert re.search(r"^  step 2, .*: \d of \d games(, \d given up)?$", text, re.MULTILINE)
    assert re.search(r"^  b: 2 games, failures: 2 × crash; benched: 2 failures in a row", text, re.MULTILINE)


def test_a_wrong_readmission_is_refused(bench: Bench) -> None:
    bench.write([player("a"), player("b")], limit=NODES)
    done = run(bench, "--readmit", "b", "--dry-run")
    assert (done.returncode, done.stderr) == (2, "error: --readmit: not with --dry-run, which changes nothing\n")
    done = run(bench, "--readmit", "b")
    assert done.returncode == 2
    assert done.stderr == "error: --readmit: 'b' is not benched in this run (benched: nobody)\n"
    assert not (bench.results / "test").exists()


def test_dry_run_plays_nothing(bench: Bench) -> None:
    pairing = {"method": "meeting-graph", "pairs": 2}
    bench.write([example(name) for name in "abc"], pairing=pairing, openings={"plies": 1})
    done = run(bench, "--dry-run")
    assert done.returncode == 0
    assert "2 pairs, 2 games each: 4 games\n2 openings\npredicted RMS error of the ratings: " in done.stdout
    document = json.loads(run(bench, "--dry-run", "--json").stdout)
    assert len(document["pairs"]) == 2
    assert f"\ntime: {document['duration']}\n" in done.stdout
    assert document["duration_s"] > 0
    assert not bench.results.exists()


def test_a_dry_run_of_many_pairs_lists_the_first_ones(bench: Bench) -> None:
    bench.write([player(name) for name in "abcdefghij"], pairing={"method": "round-robin"}, limit=NODES)
    lines = run(bench, "--dry-run").stdout.splitlines()
    assert sum(" - " in line for line in lines) == 30
    assert "  … and 15 more pairs: --json has all" in lines
    assert "time: no estimate, since nodes set no time; a run shows the time left as it plays" in lines


def test_a_dry_run_uses_earlier_games(bench: Bench) -> None:
    pairing = {"method": "meeting-graph", "pairs": 1, "prior_games": [["b", "c", 9]]}
    bench.write([player(name) for name in "abc"], pairing=pairing, limit=NODES)
    done = run(bench, "--dry-run")
    assert done.returncode == 0
    assert done.stderr == (
        "warning: pairing.prior_games: the games planned now leave the players in 2 groups; "
        "`tournament rank` rates several runs and files together\n"
    )


@pytest.mark.parametrize("pairing", [{"method": "round-robin", "stop": {"error": 30}}, {"method": "sprt"}])
def test_a_dry_run_states_that_the_end_is_open(bench: Bench, pairing: dict[str, object]) -> None:
    bench.write([player("a"), player("b")], pairing=pairing, limit=NODES)
    done = run(bench, "--dry-run")
    assert re.search(r"^next: \d+ games; the end depends on the results$", done.stdout, re.MULTILINE)
    assert "predicted" not in done.stdout


def test_a_dry_run_refuses_batches_that_cannot_connect(bench: Bench) -> None:
    bench.write([player(name) for name in "abcdef"], pairing={"method": "adaptive", "games": 4}, limit=NODES)
    done = run(bench, "--dry-run")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith(f"error: {bench.path}: pairing.games: 2 pairs cannot connect 6 players")


@pytest.mark.parametrize("options", [(), ("--dry-run",), ("--dry-run", "--json")])
@pytest.mark.parametrize("wrong", [False, True])
def test_all_programs_that_are_not_there_are_named_at_once(bench: Bench, options: tuple[str, ...], wrong: bool) -> None:
    missing = [{"name": name, "command": [f"./none-{name}"]} for name in "abc"]
    ours = {"name": "ours", "player": "random", "options": {"sede": 1} if wrong else {}}
    bench.write([*missing, player("there"), ours], limit=NODES)
    done = run(bench, *options)
    lines = [line for line in done.stderr.splitlines() if line.startswith("error: ")]
    named = [f"players {name!r}.command: cannot start './none-{name}': no such file or directory" for name in "abc"]
    unknown = ["players 'ours'.options.sede: unknown option of player random; did you mean 'seed'? (known: seed)"]
    assert done.returncode == 2
    assert lines == [f"error: {bench.path}: {one}" for one in (*(unknown if wrong else ()), *named)]


def test_a_dry_run_continues_an_existing_run(bench: Bench) -> None:
    def draft(pairs: int, *options: str, **more: Tables) -> subprocess.CompletedProcess[str]:
        pairing = {"method": "meeting-graph", "pairs": pairs}
        bench.write([player(name) for name in "abcd"], pairing=pairing, limit=NODES, **more)
        return run(bench, "--dry-run", *options)

    draft(3)
    games = bench.play()
    over = "finished: all games are played\n"
    assert f"3 pairs, 2 games each: 6 games\n{over}resuming a run: 6 finished, 0 left\n" in draft(3).stdout
    assert "5 pairs, 2 games each: 10 games\nresuming a run: 6 finished, 4 left\n" in draft(5).stdout
    document = json.loads(draft(5, "--json").stdout)
    assert (document["games"], document["left"]) == (10, 4)
    assert {frozenset(pair) for pair in document["pairs"]} >= {frozenset((game.first, game.second)) for game in games}
    refused = draft(5, tournament={"seed": 2})
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "tournament.seed: the run has 1, the schedule 2" in refused.stderr
    assert "10 games\n1 opening\n" in draft(5, "--fresh", tournament={"seed": 2}).stdout
    assert bench.games() == games


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("run", "nowhere.toml"), "nowhere.toml: cannot be read: no such file or directory"),
        (("status", "nowhere"), "no run 'nowhere'"),
        (("run", "s.toml", "--concurrency", "0"), "Invalid value for '--concurrency'"),
        (("runn",), "No such command 'runn'"),
        (("run",), "Missing argument 'SCHEDULE.toml'"),
    ],
)
def test_a_wrong_command_line_is_one_line_and_exit_code_2(
    tmp_path: Path, arguments: tuple[str, ...], message: str
) -> None:
    done = tournament(*arguments, folder=tmp_path)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("error: ")
    assert message in done.stderr
    assert done.stderr.count("\n") == 1


def test_results_that_cannot_be_written_are_refused(bench: Bench) -> None:
    bench.write([player("a"), player("b")], limit=NODES)
    done = tournament("run", bench.path, "--results", bench.path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"error: {bench.path / 'test'}: cannot be made: not a directory\n"


@pytest.mark.parametrize("name", ["run.sqlite-wal", "schedule.toml.new", "events.jsonl", "games.pgn"])
def test_a_file_that_cannot_be_written_is_one_line(bench: Bench, name: str) -> None:
    bench.write([player("a"), player("b")], limit=NODES)
    (bench.results / "test" / name).mkdir(parents=True)
    done = run(bench, "--quiet")
    assert (done.returncode, done.stderr.count("\n")) == (1, 1)
    assert done.stderr.startswith("error: ")


def test_a_terminal_shows_the_live_table(bench: Bench) -> None:
    bench.write(
        [player("a"), player("b", "illegal", 2)], tournament={"games_per_pair": 12, "bench_after": 0}, limit=NODES
    )
    ours, theirs = pty.openpty()
    words = [*COMMAND, "run", str(bench.path), "--results", str(bench.results)]
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "100"}
    process = subprocess.Popen(words, stdout=theirs, stderr=theirs, env=environment)
    os.close(theirs)
    shown = b""
    while chunk := _read(ours):
        shown += chunk
    assert process.wait(timeout=PATIENCE) == 0
    os.close(ours)
    text = shown.decode()
    assert "12 of 12 games" in text
    assert "failures" in text
    assert "Started game" not in text
    assert "Traceback" not in text


def test_a_closed_terminal_interrupts_cleanly(bench: Bench) -> None:
    bench.write([player("a", "slow", 0.02), player("b")], tournament={"games_per_pair": 200}, limit=NODES)
    ours, theirs = pty.openpty()
    words = [*COMMAND, "run", str(bench.path), "--results", str(bench.results)]
    process = subprocess.Popen(words, stdout=theirs, stderr=theirs, env={**os.environ, "TERM": "xterm"})
    os.close(theirs)
    while b"games/s" not in _read(ours):
        pass
    os.close(ours)
    process.send_signal(signal.SIGHUP)
    assert process.wait(timeout=PATIENCE) == 130
    last = (bench.results / "test" / "events.jsonl").read_text("utf-8").splitlines()[-1]
    assert '"event":"ended"' in last
    assert '"state":"interrupted"' in last


def rated(schedule: Schedule, games: Sequence[GameRecord], *events: Event) -> Rated:
    """Return the manager's event with the ranking after these games and events."""
    found: list[Event] = []

    async def rate() -> None:
        rater = Rater(schedule, Feed([found.append]), games)
        for event in events:
            rater(event)
        await rater.finish()

    asyncio.run(rate())
    assert isinstance(found[-1], Rated)
    return found[-1]


def test_a_manager_rates_by_the_section_of_the_schedule() -> None:
    games = [record(game) for game in plan([("a", "b")] * 5, lambda _: (), 1, History(), 1)]
    rating = RatingSection(
        advantage=10.0, draw_elo="fit", model="davidson", anchor={"a": 1500.0, "has not played": 1.0}
    )
    asked = replace(load(CONFIGS / "quickstart.toml"), rating=rating)
    found = rate_as(rating, Results.from_games((game.first, game.second, game.result) for game in games))
    shown = rated(asked, games)
    assert shown.answer.startswith("undecided: ")
    assert {one.name: (one.elo, one.plus) for one in shown.players} == {
        player.name: (player.elo, player.plus) for player in found.players
    }
    assert next(one.elo for one in shown.players if one.name == "a") == 1500.0
    assert found.model == "davidson"


def test_a_live_table_shows_the_games_of_older_ratings() -> None:
    games = [record(game) for game in plan([("a", "b")] * 6, lambda _: (), 1, History(), 1)]
    schedule, console = load(CONFIGS / "quickstart.toml"), Console(file=io.StringIO(), width=200)
    live = LiveTable(console, schedule, games[:10])
    live._pace.take(Began(at="", name="test", game="uttt", players=("a", "b"), scheduled=12, finished=10))
    live(rated(schedule, games[:10]))
    console.print(live._render())
    shown = console.file.getvalue()  # type: ignore[attr-defined]
    assert "undecided: " in shown
    assert "ratings and answer after" not in shown
    live(Finished(at="", game=games[10], finished=11, scheduled=12))
    console.print(live._render())
    assert console.file.getvalue().endswith("\nratings and answer after 10 games\n")  # type: ignore[attr-defined]


def test_a_live_table_has_a_player_without_games_last_and_without_a_number() -> None:
    games = [record(game) for game in plan([("a", "b")] * 6, lambda _: (), 1, History(), 1)]
    schedule, console = load(CONFIGS / "quickstart.toml"), Console(file=io.StringIO(), width=200)
    live = LiveTable(console, schedule, games)
    live._players = ("idle", "a", "b")
    live(rated(schedule, games))
    console.print(live._table())
    lines = console.file.getvalue().splitlines()  # type: ignore[attr-defined]
    assert sorted(line.split()[0] for line in lines[1:3]) == ["a", "b"]
    assert lines[3].split() == ["idle", "0"]


def test_a_benched_player_is_not_the_best_so_far() -> None:
    games = [record(game) for game in plan([("a", "b")] * 6, lambda _: (), 1, History(), 1)]
    benched = Benched(at="", player="a", why="it fails", given_up=2, scheduled=10)
    assert rated(load(CONFIGS / "quickstart.toml"), games, benched).answer == "only b is left"


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # on Linux: the other end is closed
        return b""


@pytest.mark.parametrize("path", sorted(CONFIGS.glob("*.toml")), ids=lambda path: path.stem)
def test_shipped_schedules_can_be_planned(path: Path) -> None:
    schedule = load(path)
    drafted = manager.prepare(schedule)
    assert drafted.warnings == []
    assert isinstance(drafted.step, Step)
    assert {name for pair in drafted.step.meetings for name in pair} == set(schedule.names)


def test_a_dry_run_of_a_ladder_shows_the_games_left(bench: Bench) -> None:
    players, pairing = [player(name) for name in "abcd"], {"method": "ladder", "opponents": 2}
    bench.play(players, pairing=pairing, limit=NODES)
    done = run(bench, "--dry-run")
    assert "0 pairs: 0 games\nfinished: every player has challenged those before it\n" in done.stdout
    bench.write([*players, player("e")], pairing=pairing, limit=NODES)
    done = run(bench, "--dry-run")
    assert (
        "2 pairs: 4 games\nnext: ladder: e against 2 players, 4 games; the rest depends on the results\n" in done.stdout
    )
    assert "resuming a run: 10 finished, 4 left\n" in done.stdout
    document = json.loads(run(bench, "--dry-run", "--json").stdout)
    assert (document["games"], document["left"], len(document["pairs"])) == (14, 4, 2)


def test_game_numbers_stay_within_the_plan_after_a_player_is_benched(bench: Bench) -> None:
    players = [player("a"), player("b", "crash", 1), player("c")]
    bench.write(players, tournament={"games_per_pair": 6, "bench_after": 2}, limit=NODES)
    stdout = run(bench).stdout
    started = re.findall(r"^Started game (\d+) of (\d+) ", stdout, re.MULTILINE)
    assert len(started) < 18
    assert max(int(number) for number, _ in started) > len(started), "games before it were given up"
    assert all(int(number) <= int(total) == 18 for number, total in started)
    finished = stdout.count("Finished game ")
    total = f"finished: {finished} of 18 games, {18 - finished} given up"
    assert tournament("status", "test", "--results", bench.results).stdout.startswith(f"test (tictactoe): {total}\n")
    assert f"3 players; {total}<" in (bench.results / "test" / "report.html").read_text("utf-8")
    shown = json.loads(tournament("status", "test", "--json", "--results", bench.results).stdout)
    assert (shown["scheduled"], shown["finished"], shown["given_up"]) == (finished, finished, 18 - finished)


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


@pytest.mark.parametrize("number", ["SIGINT", "SIGTERM"])
def test_an_interrupt_during_the_report_prints_how_to_derive_it(bench: Bench, number: str) -> None:
    bench.write([player("a"), player("b")], limit=NODES)
    interrupt = (
        f"import signal, tournament.report as r; r.write_report = lambda _: signal.raise_signal(signal.{number})"
    )
    words = [COMMAND[0], "-c", f"{interrupt}; {COMMAND[2]}", "run", bench.path, "--results", bench.results]
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == 130
    *_, kept, derive = done.stderr.splitlines()
    assert kept == "interrupted while the report was made; 2 finished games kept"
    folder = bench.results / "test"
    assert derive == f"derive the rest with: tournament report {shlex.quote(str(folder))}"
    assert tournament("report", folder).returncode == 0
    assert (folder / "report.html").is_file()


def test_a_knockout_answers_with_its_result_everywhere(bench: Bench) -> None:
    bench.write([player(name) for name in "abcd"], pairing={"method": "knockout"}, limit=NODES)
    lines = run(bench).stdout.splitlines()
    answer = next(line for line in lines if line.startswith("Finished tournament: ")).split(": ", 1)[1]
    assert re.fullmatch(r"\w wins, \w is second", answer)
    assert answer in lines
    for command in ("status", "rank"):
        assert answer in tournament(command, "test", "--results", bench.results).stdout.splitlines()
    assert answer in (bench.results / "test" / "ranking.txt").read_text("utf-8").splitlines()
    assert f"{answer}." in (bench.results / "test" / "report.html").read_text("utf-8")
    assert f"\nfinished: {answer}\n" in run(bench, "--dry-run").stdout


def test_a_benched_opponent_leaves_one_player_and_no_decision(bench: Bench) -> None:
    pairing = {"method": "adaptive", "games": 40, "stop": {"top": 1}}
    table = {"bench_after": 3}
    bench.write([player("a", "crash", 1), player("b")], tournament=table, pairing=pairing, limit=NODES)
    done = run(bench)
    lines = done.stdout.splitlines()
    assert "Finished tournament: only b is left" in lines
    assert lines.count("only b is left") == 1
    assert "confidence" not in done.stdout
    assert "more game" not in done.stdout
    document = json.loads(tournament("status", "test", "--results", bench.results, "--json").stdout)
    assert (document["over"], document["decision"]) == ("only b is left", None)
    assert (document["answer"]["text"], document["answer"]["decided"]) == ("only b is left", False)
    assert run(bench, "--readmit", "a", "--quiet").returncode == 0, "nothing was decided"


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
    first, second, third, *_ = plan([("b", "c")] * 2, lambda _: (), 1, History(), 1)
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
    game, _ = map(record, plan([("b", "c")], lambda _: (), 1, History(), 1))
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
