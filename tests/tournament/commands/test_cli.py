"""The command line: its output and its exit codes."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from fiedler.tournament import cli
from fiedler.tournament.cli import COMMANDS
from tests.patience import PATIENCE
from tests.tournament.manager_process import COMMAND, NODES
from tests.tournament.schedules import Bench, player


def tournament(*arguments: object, folder: Path | None = None) -> subprocess.CompletedProcess[str]:
    words = [*COMMAND, *map(str, arguments)]
    return subprocess.run(words, capture_output=True, text=True, timeout=PATIENCE, check=False, cwd=folder)


def run(bench: Bench, *options: str) -> subprocess.CompletedProcess[str]:
    return tournament("run", bench.path, "--results", bench.results, *options)


def test_help_names_every_command_and_imports_none() -> None:
    shown = subprocess.run([*COMMAND, "--help"], capture_output=True, text=True, timeout=PATIENCE, check=True).stdout
    assert all(re.search(rf"^  {name} ", shown, re.MULTILINE) for name in COMMANDS)
    probe = "import sys, fiedler.tournament.cli; print(*sys.modules)"
    loaded = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, check=True).stdout.split()
    assert not {"numpy", "asyncio", "rich", "ssl", "importlib.metadata"} & set(loaded)


def test_a_run_and_its_report_start_without_scipy() -> None:
    loaded = "sys.exit('scipy' in sys.modules)"
    probe = f"import sys, fiedler.tournament.commands.run, fiedler.tournament.report.writing; {loaded}"
    assert subprocess.run([sys.executable, "-c", probe], check=False).returncode == 0


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help(name: str) -> None:
    done = CliRunner().invoke(cli.tournament, [name, "--help"])
    assert (done.exit_code, done.stderr) == (0, "")
    assert f"tournament {name} " in done.stdout


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


@pytest.mark.parametrize("number", ["SIGINT", "SIGTERM"])
def test_an_interrupt_during_the_report_prints_how_to_derive_it(bench: Bench, number: str) -> None:
    bench.write([player("a"), player("b")], limit=NODES)
    raised = f"signal.raise_signal(signal.{number})"
    interrupt = f"import signal, fiedler.tournament.report as r; r.write_report = lambda _: {raised}"
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
