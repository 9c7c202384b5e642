"""Rehearses a strength test in a pull request: what a runner does, from two git revisions to a verdict.

    python -m benchmarks.pull_request play --gain 20 --number 1 --to played.jsonl    # one pull request, minutes
    python -m benchmarks.pull_request play --gain 0 --number 1 --to played.jsonl     # one without a gain
    python -m benchmarks.pull_request sum played.jsonl                               # verdicts, errors, times, pairs
    python -m benchmarks.pull_request simulate played.jsonl --requests 1000          # more, of the measured pairs

A temporary repository has the engine `pull_request_engine.c` in two revisions: the candidate does not play 15 of 1,000
moves at once, without a search (a gain), or has another comment (none). Both are checked out and built as by a runner,
then `tournament compare` plays them at 20 ms a move, with `--shards` in shares that are merged. Each pull request has
its own number, the seed of its openings: repetitions are played one by one, and their lines are summed up.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import click
import numpy as np

from fiedler.games.score import interval, score_text
from fiedler.support.console import command_line
from fiedler.support.errors import UsageError
from fiedler.support.text import counted
from fiedler.tournament.comparison.comparison import ELO1
from fiedler.tournament.comparison.verdict import MeasuredElo
from fiedler.tournament.pairing.sprt import bounds, log_likelihood_ratio
from fiedler.tournament.schedule.schedule import Sprt

ENGINE = Path(__file__).with_name("pull_request_engine.c")
TOURNAMENT = (sys.executable, "-P", "-c", "from fiedler.tournament.start import main; main()")
CHANGES = {20: ("#define HASTE 15 ", "#define HASTE 0 "), 0: ("/* Connect 4", "/* The game Connect 4")}
"""Gain, by measurement in Elo -> the text of the base that the candidate replaces."""
MOVETIME_MS, MARGIN_MS, GAMES = 20, 1000, 4000
"""Of the tests. The engine ends its searches itself: a busy machine makes it late, which is not its fault."""
CODES = {0: "passed", 1: "failed", 3: "undecided"}
RIGHT = {20: "passed", 0: "failed"}
PATIENCE_S = 600
"""The time in which a pull request is to be decided."""


@click.group()
def pull_request() -> None:
    """Rehearse strength tests of pull requests."""


@pull_request.command()
@click.option("--gain", type=click.Choice([str(gain) for gain in CHANGES]), required=True)
@click.option("--number", type=click.IntRange(1), required=True, help="Of the pull request, the seed of its openings.")
@click.option("--shards", type=click.IntRange(1), help="Play this number of shares one after the other, then merge.")
@click.option("--games", type=click.IntRange(2), default=GAMES, show_default=True, help="Most games.")
@click.option("--concurrency", type=click.IntRange(1), default=2, show_default=True)
@click.option("--to", type=click.Path(path_type=Path), required=True, help="Append a line of JSON.")
def play(gain: str, number: int, shards: int | None, games: int, concurrency: int, to: Path) -> None:
    """Play one pull request."""
    with tempfile.TemporaryDirectory() as place:
        work = Path(place)
        _make_repository(work / "repository", int(gain))
        for side, revision in (("base", "main"), ("candidate", "change")):
            _build(work / "repository", revision, work / side)
        options = ["--seed", number, "--games", games, "--concurrency", concurrency, "--quiet"]
        begun = time.perf_counter()
        code = _test(work, [str(option) for option in options], shards)
        seconds = time.perf_counter() - begun
        if code not in CODES:
            raise UsageError(f"the test ended with exit code {code}")
        found = json.loads((work / "verdict.json").read_text("utf-8"))
    keys = ("outcome", "games", "played", "won", "drawn", "lost", "pentanomial", "llr", "failures")
    measured = {"seconds": round(seconds, 1), "load": round(os.getloadavg()[1], 1)}
    line = {"gain": int(gain), "number": number, **measured, **{key: found[key] for key in keys}}
    assert CODES[code] == line["outcome"]
    with to.open("a", encoding="utf-8") as file:
        file.write(json.dumps(line) + "\n")
    click.echo(f"{seconds:.0f} s: {found['text']}")


def _make_repository(folder: Path, gain: int) -> None:
    """Make a repository with the branches `main` and `change`."""
    folder.mkdir()
    old, new = CHANGES[gain]
    text = ENGINE.read_text("utf-8")
    assert text.count(old) == 1
    git = ("git", "-C", str(folder), "-c", "user.name=bot", "-c", "user.email=bot@example.org")
    _run(*git, "init", "-q", "-b", "main")
    for branch, content in (("main", text), ("change", text.replace(old, new))):
        if branch != "main":
            _run(*git, "switch", "-q", "-c", branch)
        (folder / "engine.c").write_text(content, "utf-8")
        _run(*git, "add", "engine.c")
        _run(*git, "commit", "-q", "-m", branch)


def _build(repository: Path, revision: str, folder: Path) -> None:
    """Check out and build a revision, as the action does."""
    _run("git", "-C", str(repository), "worktree", "add", "-q", "--detach", str(folder), revision)
    _run("cc", "-O2", "-o", "engine", "engine.c", cwd=folder)


def _test(work: Path, options: Sequence[str], shards: int | None) -> int:
    """Play the test in the folder `work`, and return its exit code; the verdict is `verdict.json` there."""
    sides = ("--base", "base/engine", "--candidate", "candidate/engine", "--game", "connect4")
    command = (*TOURNAMENT, "compare", *sides, "--movetime", str(MOVETIME_MS), "--margin", str(MARGIN_MS), *options)
    verdict = ("--json", "verdict.json")
    if shards is None:
        return subprocess.run((*command, *verdict), cwd=work, check=False).returncode
    for shard in range(1, shards + 1):
        _run(*command, "--shard", f"{shard}/{shards}", cwd=work)
    folders = [f"compare.shard-{shard}-of-{shards}" for shard in range(1, shards + 1)]
    merging = (*TOURNAMENT, "compare", "--verdict", *folders, *verdict)
    return subprocess.run(merging, cwd=work, check=False).returncode


def _run(*words: str, cwd: Path | None = None) -> None:
    subprocess.run(words, cwd=cwd, check=True)


@pull_request.command("sum")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path, exists=True))
def sum_up(files: Sequence[Path]) -> None:
    """Print the verdicts of the pull requests that were played."""
    for gain, played in _by_gain(_lines(files)).items():
        right = [line["outcome"] == RIGHT[gain] for line in played]
        seconds = sorted(line["seconds"] for line in played)
        games = sum(line["played"] for line in played)
        late = sum(one > PATIENCE_S for one in seconds)
        outcomes = ", ".join(f"{outcome} {_count(played, outcome)}" for outcome in CODES.values())
        click.echo(f"gain {gain}: {counted(len(played), 'pull request')}: {outcomes}; {_errors(right)}")
        click.echo(
            f"  seconds {seconds[0]:.0f} to {seconds[-1]:.0f}, over {PATIENCE_S}: {late}; {_pace(played):.2f} s a game"
        )
        pairs = [int(count) for count in np.sum([line["pentanomial"] for line in played], axis=0)]
        failures = sum(number for line in played for kinds in line["failures"].values() for number in kinds.values())
        click.echo(f"  {games} games, pairs {pairs}: {MeasuredElo.of(pairs).text}; failures {failures}")


@pull_request.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path, exists=True))
@click.option("--requests", type=click.IntRange(1), default=1000, show_default=True)
@click.option("--risk", type=click.FloatRange(0, 0.5, min_open=True), default=0.05, show_default=True, help="α and β.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True)
def simulate(files: Sequence[Path], requests: int, risk: float, seed: int) -> None:
    """Draw pull requests from the measured pairs: their errors and, at the measured pace, their times."""
    random = np.random.default_rng(seed)
    for gain, played in _by_gain(_lines(files)).items():
        pairs = np.sum([line["pentanomial"] for line in played], axis=0).astype(float)
        chances = (pairs + pairs[::-1] if gain == 0 else pairs) / (pairs.sum() * (2 if gain == 0 else 1))
        drawn = [_drawn_test(Sprt(elo1=ELO1, alpha=risk, beta=risk), chances, random) for _ in range(requests)]
        right = [outcome == RIGHT[gain] for outcome, _ in drawn]
        games = np.array([number for _, number in drawn])
        pace = _pace(played)
        late = int((games * pace > PATIENCE_S).sum())
        spread = ", ".join(f"{share} %: {np.percentile(games, share):.0f}" for share in (50, 95, 100))
        click.echo(f"gain {gain}: {counted(requests, 'simulated pull request')}: {_errors(right)}; games {spread}")
        click.echo(f"  at {pace:.2f} s a game over {PATIENCE_S} s: {late}")


def _drawn_test(
    test: Sprt, chances: np.ndarray[Any, np.dtype[np.float64]], random: np.random.Generator
) -> tuple[str, int]:
    """Return the outcome of a test whose pairs have these chances, and its games."""
    counts = [0] * len(chances)
    low, high = bounds(test)
    for number, points in enumerate(random.choice(len(chances), GAMES // 2, p=chances), 1):
        counts[points] += 1
        ratio = log_likelihood_ratio(counts, test)
        if not low < ratio < high:
            return ("passed" if ratio >= high else "failed"), 2 * number
    return "undecided", GAMES


def _lines(files: Iterable[Path]) -> Iterator[dict[str, Any]]:
    for file in files:
        yield from map(json.loads, file.read_text("utf-8").splitlines())


def _by_gain(lines: Iterable[dict[str, Any]]) -> dict[int, list[dict[str, Any]]]:
    found: dict[int, list[dict[str, Any]]] = {}
    for line in lines:
        found.setdefault(line["gain"], []).append(line)
    return found


def _count(lines: Iterable[dict[str, Any]], outcome: str) -> int:
    return sum(line["outcome"] == outcome for line in lines)


def _errors(right: Sequence[bool]) -> str:
    """Return the share of wrong or missing decisions with its 95 % interval."""
    wrong = len(right) - sum(right)
    return f"errors {wrong}: {score_text(wrong / len(right), interval(wrong, wrong, len(right)), 1)}"


def _pace(lines: Sequence[dict[str, Any]]) -> float:
    """Return seconds per game, of all cores together."""
    return float(sum(line["seconds"] for line in lines) / sum(line["played"] for line in lines))


if __name__ == "__main__":
    command_line(pull_request)
