"""The speed of the ratings, compared with the original program if `--bayeselo` names it.

    python benchmarks/ratings.py [--bayeselo PATH] [--rounds N] [--many]

Files: a PGN of 300,000 games (seven tags, 20 moves) and the same as CSV, ranked by the command in a process of its own.
Intervals: 1,000 players, 40,000 games. CPU time, in rounds that take turns; the middle one counts.
With `--many` only this: 10,000 players, 40,000 pairs, 400,000 games in memory; also the largest memory so far.
"""

from __future__ import annotations

import argparse
import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np

from fiedler.games.result import Result
from fiedler.tournament.ratings import Results, rate
from fiedler.tournament.ratings.model import DEFAULT_ADVANTAGE, DEFAULT_DRAW_ELO
from fiedler.tournament.ratings.pairs import Floats, Pairs
from fiedler.tournament.ratings.posterior import PriorKind, posterior
from fiedler.tournament.ratings.rao_kupper import RaoKupper
from fiedler.tournament.schedule.schedule import RatingSection

ORIGINAL_SCRIPT = "prompt off\nreadpgn {file}\nelo\nmm\n"
Game = tuple[str, str, str]


def games(players: int, count: int, rng: random.Random) -> Iterator[Game]:
    """Yield simulated games of players over 1000 Elo, between opponents up to a quarter of the field apart."""
    names = [f"checkpoint-{number:04}" for number in range(players)]
    reach = max(1, players // 4)
    for _ in range(count):
        first = rng.randrange(players)
        second = (first + rng.randint(1, reach)) % players
        first, second = (first, second) if rng.random() < 0.5 else (second, first)
        odds = 10 ** ((first - second) * 1000 / players / 400)
        win, loss = odds / (odds + 1.5), 1 / (1 + 1.5 * odds)
        yield names[first], names[second], rng.choices(tuple(Result), [win, 1 - win - loss, loss])[0]


def write_pgn(path: Path, played: list[Game], rng: random.Random) -> None:
    """Write the games with the seven tags of the roster and 20 moves."""
    squares = [f"{file}{rank}" for file in "abcdefghi" for rank in range(1, 10)]
    with path.open("w", encoding="utf-8") as file:
        for number, (white, black, result) in enumerate(played, start=1):
            words = [f"{n}. {rng.choice(squares)} {rng.choice(squares)}" for n in range(1, 21)]
            file.write(
                f'[Event "benchmark"]\n[Site "here"]\n[Date "2024.01.01"]\n[Round "{number}"]\n[White "{white}"]\n'
                f'[Black "{black}"]\n[Result "{result}"]\n\n{" ".join(words)} {result}\n\n'
            )


def write_csv(path: Path, played: list[Game]) -> None:
    """Write the games as rows of white,black,result."""
    path.write_text("white,black,result\n" + "".join(f"{','.join(game)}\n" for game in played), encoding="utf-8")


def cpu(words: list[str | Path], text: str = "") -> tuple[float, float]:
    """Run a program; return its CPU time and its wall-clock time, in seconds."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    subprocess.run(words, input=text.encode(), check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, time.perf_counter() - start


def own_cpu(work: Callable[[], object]) -> float:
    """Return the CPU time of a call in this process, in seconds."""
    start = time.process_time()
    work()
    return time.process_time() - start


def rank(path: Path, *options: str) -> list[str | Path]:
    """Return the command that ranks a file."""
    return [sys.executable, "-c", "from fiedler.tournament.cli import main; main()", "rank", path, *options]


def middle(values: list[float]) -> float:
    """Return the median."""
    return statistics.median(values)


def report(title: str, ours: list[float], theirs: list[float]) -> None:
    """Print a line with the medians of the rounds and their ratio."""
    line = f"{title}: {middle(ours):.3f} s"
    print(line + (f", the original {middle(theirs):.3f} s: {middle(theirs) / middle(ours):.1f} x" if theirs else ""))


def files(folder: Path, original: Path | None, rounds: int, players: int) -> None:
    """Rank 300,000 games from PGN and CSV."""
    rng = random.Random(1)
    played = list(games(players, 300_000, rng))
    pgn, table = folder / f"games{players}.pgn", folder / f"games{players}.csv"
    write_pgn(pgn, played, rng)
    write_csv(table, played)
    ours: list[float] = []
    passed: list[float] = []
    tables: list[float] = []
    theirs: list[float] = []
    for _ in range(rounds):
        used, seconds = cpu(rank(pgn))
        ours.append(used)
        passed.append(seconds)
        tables.append(cpu(rank(table))[0])
        if original:
            theirs.append(cpu([original], ORIGINAL_SCRIPT.format(file=pgn) + "covariance\nratings\n")[0])
    report(f"300,000 games of {players} players from PGN ({pgn.stat().st_size >> 20} MiB), CPU", ours, theirs)
    report("  the same, time that passed", passed, [])
    report("  the same from CSV, CPU", tables, [])


def intervals(folder: Path, original: Path | None, rounds: int) -> None:
    """Find the intervals of 1,000 players."""
    rng = random.Random(2)
    played = list(games(1000, 40_000, rng))
    pgn = folder / "intervals.pgn"
    write_pgn(pgn, played, rng)
    results = Results.from_games(played)
    theirs: dict[str, list[float]] = {command: [] for command in ("", "covariance", "exactdist")}
    fits: list[float] = []
    covariances: list[float] = []
    marginals: list[float] = []
    for _ in range(rounds):
        fits.append(own_cpu(lambda: rate(results, intervals="variance")))
        covariances.append(own_cpu(rate(results, intervals="variance").covariance))
        marginals.append(own_cpu(lambda: rate(results, intervals="exact")) - fits[-1])
        for command, seconds in theirs.items():
            if original:
                seconds.append(cpu([original], ORIGINAL_SCRIPT.format(file=pgn) + f"{command}\n")[0])
    for command in ("covariance", "exactdist"):
        theirs[command] = [all_of - rest for all_of, rest in zip(theirs[command], theirs[""], strict=True)]
    report("covariance of 1,000 players, CPU", covariances, theirs["covariance"])
    report("exact marginals of 1,000 players, CPU", marginals, theirs["exactdist"])
    report("fit of 1,000 players (the original: and reading 40,000 games), CPU", fits, theirs[""])
    pairs = Pairs.of(results)
    print(f"  {pairs.low.size} pairs, {np.median(pairs.games()):.0f} games each")


def field(elo: Floats, seed: int = 1) -> Results:
    """Return ten games of each player with each of four opponents drawn at random, five with each colour."""
    rng = np.random.default_rng(seed)
    one = np.repeat(np.arange(elo.size), 4)
    other = (one + rng.integers(1, elo.size, one.size)) % elo.size
    rows = []
    for first, second in ((one, other), (other, one)):
        chances = np.exp(RaoKupper.log_outcomes(elo[first] - elo[second], DEFAULT_ADVANTAGE, DEFAULT_DRAW_ELO)).T
        rows.append(np.column_stack([first, second, rng.multinomial(5, chances / chances.sum(axis=1)[:, None])]))
    names = tuple(f"net-{number:05}" for number in range(elo.size))
    return Results(names, tuple(map(tuple, np.concatenate(rows).tolist())))


def many(rounds: int, players: int = 10_000) -> None:
    """Rate thousands of players: along a curve, and drawn from one population or from two groups."""
    rng = np.random.default_rng(2)
    rise = 1500 * (1 - np.exp(-np.arange(players) / players / 0.2)) + rng.normal(0, 15, players)
    fields = {
        "one normal population": field(rng.normal(0, 150, players)),
        "two groups": field(np.repeat([-300.0, 300.0], players // 2) + rng.normal(0, 40, players)),
        "a curve": field(rise),
    }
    rate(fields["a curve"], intervals="variance")  # imports
    for title, results in fields.items():
        spent = [own_cpu(partial(rate, results, intervals="variance")) for _ in range(rounds)]
        report(f"{title}: intervals by variance, CPU", spent, [])
        kind: PriorKind = "curve" if title == "a curve" else "population"
        work = partial(posterior, results, kind=kind, options=RatingSection())
        spent = [own_cpu(work) for _ in range(rounds)]
        report(f"{title}: posterior, {kind}, with the ranking, CPU", spent, [])
    print(f"largest memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10} MiB")
    spent = [own_cpu(lambda: rate(fields["one normal population"]))]
    report("exact intervals, CPU", spent, [])
    print(f"largest memory: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss >> 10} MiB")


def main() -> None:
    """Measure all."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bayeselo", type=Path, help="the original program, to be measured beside ours")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--many", action="store_true", help="10,000 players, and nothing else")
    given = parser.parse_args()
    if given.many:
        many(given.rounds)
        return
    with tempfile.TemporaryDirectory() as folder:
        for players in (100, 1000):
            files(Path(folder), given.bayeselo, given.rounds, players)
        intervals(Path(folder), given.bayeselo, given.rounds)


if __name__ == "__main__":
    main()
