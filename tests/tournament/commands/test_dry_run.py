"""`tournament run --dry-run`: the plan, without games."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner

from fiedler.tournament.commands.design import design
from fiedler.tournament.pairing import Step
from fiedler.tournament.run import draft
from fiedler.tournament.schedule.validation import load
from tests.folders import CONFIGS
from tests.tournament.commands.test_cli import run
from tests.tournament.manager_process import NODES
from tests.tournament.schedules import Bench, Tables, example, player


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


def test_a_dry_run_and_a_design_count_the_openings_of_a_file(bench: Bench) -> None:
    (bench.folder / "lines.txt").write_text("a1\nb2\nc3 a1\n", "utf-8")
    pairing = {"method": "meeting-graph", "pairs": 1}
    bench.write([example(name) for name in "ab"], pairing=pairing, openings={"file": "lines.txt"})
    assert "\n1 opening of 3 in the file\n" in run(bench, "--dry-run").stdout
    assert json.loads(run(bench, "--dry-run", "--json").stdout)["openings_listed"] == 3
    designed = CliRunner().invoke(design, [str(bench.path)])
    assert "\n3 openings in the file\n" in designed.output


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
    needed = "expected at least 10, two for each of the 5 pairs that connect 6 players, got 4"
    assert done.stderr.startswith(f"error: {bench.path}: pairing.games: {needed}")


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


@pytest.mark.parametrize("path", sorted(CONFIGS.glob("*.toml")), ids=lambda path: path.stem)
def test_shipped_schedules_can_be_planned(path: Path) -> None:
    schedule = load(path)
    drafted = draft.prepare(schedule)
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
