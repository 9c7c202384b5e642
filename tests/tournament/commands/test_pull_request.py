"""The rehearsal of a pull request, with a few games: `benchmarks/pull_request.py`."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from benchmarks.pull_request import pull_request


def run(*words: object) -> str:
    done = CliRunner().invoke(pull_request, [*map(str, words)])
    assert done.exception is None, done.output
    return done.stdout


@pytest.mark.programs
@pytest.mark.parametrize("gain", [20, 0])
def test_two_revisions_become_a_verdict_and_shards_the_same_number_of_games(gain: int, tmp_path: Path) -> None:
    to = tmp_path / "played.jsonl"
    for options in ((), ("--shards", 2)):
        run("play", "--gain", gain, "--number", 1, "--games", 4, "--to", to, *options)
    whole, shards = map(json.loads, to.read_text("utf-8").splitlines())
    assert whole["outcome"] == shards["outcome"] == "undecided"
    assert whole["played"] == shards["played"] == 4
    assert sum(whole["pentanomial"]) == sum(shards["pentanomial"]) == 2


def test_the_sum_counts_decisions_and_pairs(tmp_path: Path) -> None:
    file = tmp_path / "played.jsonl"
    common = {"played": 100, "seconds": 50.0, "failures": {"base": {"time": 2}}}
    lines = [
        {"gain": 0, "outcome": "failed", "pentanomial": [1, 0, 48, 0, 1], **common},
        {"gain": 0, "outcome": "passed", "pentanomial": [0, 0, 40, 0, 10], **common, "seconds": 601.0},
    ]
    file.write_text("".join(f"{json.dumps(line)}\n" for line in lines), "utf-8")
    said = run("sum", file)
    assert "gain 0: 2 pull requests: passed 1, failed 1, undecided 0; errors 1: 50.0 ± 40.5 %" in said
    assert "seconds 50 to 601, over 600: 1; 3.25 s a game" in said
    assert re.search(r"200 games, pairs \[1, 0, 88, 0, 11\]: \+\d+ ± \d+ Elo; failures 4", said)


def test_simulated_requests_of_pairs_that_all_win_pass_at_once(tmp_path: Path) -> None:
    file = tmp_path / "played.jsonl"
    line = {"gain": 20, "outcome": "passed", "pentanomial": [0, 0, 0, 0, 50], "played": 100, "seconds": 50.0}
    file.write_text(f"{json.dumps(line)}\n", "utf-8")
    assert "20 simulated pull requests: errors 0: 0.0 % " in run("simulate", file, "--requests", 20)
