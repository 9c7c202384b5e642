"""What the manager costs: plies and games a second, its own CPU time per ply, with players that cost nothing.

    python benchmarks/manager.py                          # the table of benchmarks/README.md
    python benchmarks/manager.py --games 200 --json       # for scripts

The players are two processes of `trivial_player.cpp` on pipes for each game that runs at a time, compiled with `$CXX`
or g++. Clock and CPU time (user and system, of this process alone, its journal's thread included) run from the first
start of a game to the end of the last; the results go to a temporary folder on the disk of `$TMPDIR`.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import click
from msgspec import Struct, structs

from tournament import manager
from tournament.events import Ended, Event, Finished, Started

SOURCE = Path(__file__).with_name("trivial_player.cpp")
BOARDS = {"tictactoe": 3, "gomoku15": 15}
"""columns of the boards that the trivial player knows"""
PLIES = 20_000
"""plies of a measurement, about, where --games does not say how many games"""
LONGEST = {"tictactoe": 9, "gomoku15": 225}

SCHEDULE = """
[tournament]
name = "overhead"
game = "{game}"
games_per_pair = {games}
seed = 1

[limit]
nodes = 1

[pairing]
method = "round-robin"

[openings]
plies = 2

[[players]]
name = "a"
command = {command}

[[players]]
name = "b"
command = {command}
"""


class Overhead(Struct, frozen=True):
    """What one run took."""

    game: str
    concurrency: int
    games: int
    plies: int
    """that players were asked for, the openings left out"""
    seconds: float
    cpu_s: float
    """of the manager's process alone"""
    plies_per_s: float
    games_per_s: float
    cpu_us_per_ply: float
    max_rss_mb: float
    """most memory that this process has used so far"""


class Stopwatch:
    """A subscriber that takes the time from the first start to the end."""

    def __init__(self) -> None:
        self.games = self.plies = 0
        self.seconds = self.cpu_s = 0.0
        self._began: tuple[float, float] | None = None

    def __call__(self, event: Event) -> None:
        """Take an event in."""
        if isinstance(event, Started) and self._began is None:
            self._began = time.monotonic(), _cpu_s()
        elif isinstance(event, Finished):
            self.games += 1
            self.plies += len(event.game.moves) - len(event.game.opening)
            if event.game.termination != "rules":
                raise RuntimeError(f"a game ended by {event.game.termination}: {event.game.detail}")
        elif isinstance(event, Ended) and self._began is not None:
            self.seconds, self.cpu_s = time.monotonic() - self._began[0], _cpu_s() - self._began[1]


def measure(player: Path, game: str, games: int, concurrency: int) -> Overhead:
    """Play `games` games and say what they took."""
    watch = Stopwatch()
    with tempfile.TemporaryDirectory() as folder:
        schedule = Path(folder) / "overhead.toml"
        command = json.dumps([str(player), str(BOARDS[game])])
        schedule.write_text(SCHEDULE.format(game=game, games=games, command=command))
        manager.run(schedule, results=Path(folder), concurrency=concurrency, subscribers=[watch])
    return Overhead(
        game=game,
        concurrency=concurrency,
        games=watch.games,
        plies=watch.plies,
        seconds=watch.seconds,
        cpu_s=watch.cpu_s,
        plies_per_s=watch.plies / watch.seconds,
        games_per_s=watch.games / watch.seconds,
        cpu_us_per_ply=1e6 * watch.cpu_s / watch.plies,
        max_rss_mb=resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    )


@contextmanager
def trivial_player() -> Iterator[Path]:
    """Compile the player; it is gone afterwards."""
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "trivial_player"
        compiler = os.environ.get("CXX", "g++")
        subprocess.run([compiler, "-O2", "-std=c++20", "-o", str(program), str(SOURCE)], check=True)
        yield program


def _cpu_s() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def _row(result: Overhead) -> str:
    cells = (
        *(result.game, result.concurrency, f"{result.plies_per_s:,.0f}", f"{result.games_per_s:,.1f}"),
        f"{result.cpu_us_per_ply:.1f}",
    )
    return f"| {' | '.join(map(str, cells))} |"


@click.command()
@click.option("--game", "played", type=click.Choice([*BOARDS]), multiple=True, default=[*BOARDS], help="Default: all.")
@click.option("--games", type=int, help=f"Games of each run, an even number; default: about {PLIES} plies.")
@click.option("--concurrency", type=int, multiple=True, default=[1, 2], show_default=True, help="Games at a time.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object per run.")
def main(played: Sequence[str], games: int | None, concurrency: Sequence[int], *, as_json: bool) -> None:
    """Measure what the manager costs."""
    if not as_json:
        click.echo("| game | concurrency | plies/s | games/s | manager's CPU per ply, µs |\n|---|---|---|---|---|")
    with trivial_player() as player:
        for game in played:
            for at_once in concurrency:
                result = measure(player, game, games or 2 * (PLIES // 2 // LONGEST[game]), at_once)
                click.echo(json.dumps(structs.asdict(result)) if as_json else _row(result))


if __name__ == "__main__":
    main()
