"""The cost of the manager: plies and games a second, its own CPU time per ply, with players of negligible cost.

    python benchmarks/manager.py                          # the table of benchmarks/README.md
    python benchmarks/manager.py --rounds 1 --json        # for scripts: one JSON object per run
    python benchmarks/manager.py --processes 2            # beside the same games in two table processes
    python benchmarks/manager.py --memory                 # of 30,000 games between 100 players, and of their report

The players are two processes of `trivial_player.cpp` on pipes for each game that runs at a time, compiled with `$CXX`
or g++. Clock and CPU time (user and system, of this process alone, its journal's thread included) run from the first
start of a game to the end of the last; the results go to a temporary folder on the disk of `$TMPDIR`.

Beside it, in turns, for no machine is as idle as it seems: *bare loops*, which have the same conversation with the same
players and do nothing else (no referee, no clock, no record), on uvloop's subprocess transports, and on its readers.
"""

from __future__ import annotations

import asyncio
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from statistics import median
from typing import cast

import click
import uvloop
from msgspec import Struct, structs

from fiedler.tournament.run import manager
from fiedler.tournament.run.events import Ended, Event, Finished, Started

SOURCE = Path(__file__).with_name("trivial_player.cpp")
BOARDS = {"tictactoe": 3, "gomoku15": 15}
"""The columns of the trivial player's boards."""
PLIES = 20_000
"""The approximate number of plies of a measurement without --games."""
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


CROWD = """
[tournament]
name = "crowd"
game = "gomoku9"
games_per_pair = 100
seed = 1

[limit]
nodes = 1

[pairing]
method = "meeting-graph"
pairs = 300

[openings]
plies = 4
"""
ONE_OF_CROWD = """
[[players]]
name = "player-{number}"
command = {command}
"""


class Overhead(Struct, frozen=True):
    """The cost of one run."""

    who: str
    """The name of the manager, or of a bare loop."""
    game: str
    concurrency: int
    games: int
    plies: int
    """The moves of the players, without the openings."""
    seconds: float
    cpu_s: float
    """The CPU time of this process and its table processes."""
    max_rss_mb: float
    """The peak memory of this process so far."""

    @property
    def plies_per_s(self) -> float:
        """Plies a second."""
        return self.plies / self.seconds

    @property
    def games_per_s(self) -> float:
        """Games a second."""
        return self.games / self.seconds

    @property
    def cpu_us_per_ply(self) -> float:
        """CPU time per ply in microseconds."""
        return 1e6 * self.cpu_s / self.plies


class Stopwatch:
    """A subscriber that measures the time from the first start to the end."""

    def __init__(self) -> None:
        self.games = self.plies = 0
        self.seconds = self.cpu_s = 0.0
        self._began: tuple[float, float] | None = None

    def __call__(self, event: Event) -> None:
        """Receive an event."""
        if isinstance(event, Started) and self._began is None:
            self._began = time.monotonic(), _cpu_s() + _table_cpu_s()
        elif isinstance(event, Finished):
            self.games += 1
            self.plies += len(event.game.moves) - len(event.game.opening)
            if event.game.termination != "rules":
                raise RuntimeError(f"a game ended by {event.game.termination}: {event.game.detail}")
        elif isinstance(event, Ended) and self._began is not None:
            now, cpu_s = time.monotonic(), _cpu_s() + _table_cpu_s()
            self.seconds, self.cpu_s = now - self._began[0], cpu_s - self._began[1]


def measure(player: Path, game: str, games: int, concurrency: int, processes: int = 1) -> Overhead:
    """Play `games` games and return their cost."""
    watch = Stopwatch()
    with tempfile.TemporaryDirectory() as folder:
        schedule = Path(folder) / "overhead.toml"
        command = json.dumps([str(player), str(BOARDS[game])])
        schedule.write_text(SCHEDULE.format(game=game, games=games, command=command), encoding="utf-8")
        manager.run(schedule, results=Path(folder), concurrency=concurrency, processes=processes, subscribers=[watch])
    who = "manager" if processes == 1 else f"{processes} table processes"
    return _overhead(who, game, concurrency, watch.games, watch.plies, watch.seconds, watch.cpu_s)


def _overhead(who: str, game: str, concurrency: int, games: int, plies: int, seconds: float, cpu_s: float) -> Overhead:
    max_rss_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return Overhead(who, game, concurrency, games, plies, seconds, cpu_s, max_rss_mb)


class Talk:
    """The minimal conversation with two players in their games."""

    def __init__(self, plies: int, games: int) -> None:
        self.over = asyncio.get_running_loop().create_future()
        self.writes: list[Callable[[bytes], object]] = []
        self._plies, self._games = plies, games

    def begin(self) -> None:
        """Announce a game."""
        self._line = b"position startpos moves a1 b1"
        self._played = self._ready = 0
        for write in self.writes:
            write(b"uginewgame\nisready\n")

    def receive(self, data: bytes) -> None:
        """Take an answer and ask the other player."""
        if data == b"readyok\n":
            self._ready += 1
            if self._ready < len(self.writes):
                return
        else:
            self._line += b" " + data[9:-1]
            self._played += 1
        if self._played < self._plies:
            self.writes[self._played % 2](self._line + b"\ngo nodes 1\n")
            return
        self._games -= 1
        if self._games:
            self.begin()
        else:
            self.over.set_result(None)


def by_readers(talk: Talk, command: Sequence[str]) -> None:
    """Start a player, and read its pipe whenever the loop reports data."""
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, bufsize=0)
    assert process.stdin is not None
    assert process.stdout is not None
    loop, number = asyncio.get_running_loop(), process.stdout.fileno()
    os.set_blocking(number, False)
    loop.add_reader(number, lambda: talk.receive(os.read(number, 65536)))
    talk.writes.append(partial(os.write, process.stdin.fileno()))
    talk.over.add_done_callback(lambda _: (loop.remove_reader(number), process.communicate()))


class Listener(asyncio.SubprocessProtocol):
    """Passes on the data of a transport."""

    def __init__(self, talk: Talk) -> None:
        self._talk = talk

    def pipe_data_received(self, fd: int, data: bytes) -> None:  # noqa: ARG002
        """Take an answer."""
        self._talk.receive(data)


async def by_transports(talk: Talk, command: Sequence[str]) -> None:
    """Start a player and leave its pipes to the loop."""
    transport, _ = await asyncio.get_running_loop().subprocess_exec(lambda: Listener(talk), *command, stderr=None)
    pipe = cast("asyncio.WriteTransport", transport.get_pipe_transport(0))  # that of uvloop only has the same methods
    talk.writes.append(pipe.write)
    talk.over.add_done_callback(lambda _: transport.close())


async def bare(player: Path, game: str, games: int, concurrency: int, *, transports: bool) -> Overhead:
    """Hold the conversation of `games` games and return its cost."""
    plies, each = LONGEST[game] - 2, games // concurrency
    talks = [Talk(plies, each) for _ in range(concurrency)]
    for talk in talks:
        for _ in range(2):
            command = [str(player), str(BOARDS[game])]
            if transports:
                await by_transports(talk, command)
            else:
                by_readers(talk, command)
    began, cpu_s = time.monotonic(), _cpu_s()
    for talk in talks:
        talk.begin()
    await asyncio.gather(*(talk.over for talk in talks))
    seconds, cpu_s = time.monotonic() - began, _cpu_s() - cpu_s
    who, played = f"bare loop on {'transports' if transports else 'readers'}", each * concurrency
    return _overhead(who, game, concurrency, played, played * plies, seconds, cpu_s)


def take_turns(
    player: Path, game: str, games: int, concurrency: int, rounds: int, processes: int
) -> Iterator[Overhead]:
    """Measure the manager, with table processes if there are several, and the bare loops in turns."""
    for _ in range(rounds):
        for number in dict.fromkeys((1, min(processes, concurrency))):
            yield measure(player, game, games, concurrency, number)
        for transports in (True, False):
            yield uvloop.run(bare(player, game, games, concurrency, transports=transports))


def peak_memory(player: Path) -> Iterator[tuple[str, float]]:
    """Play 30,000 games between 100 players, make their report; yield each command and its peak memory in MB."""
    tournament = Path(sys.executable).with_name("tournament")
    with tempfile.TemporaryDirectory() as folder:
        schedule = Path(folder) / "crowd.toml"
        command = json.dumps([str(player), "9"])
        crowd = (ONE_OF_CROWD.format(number=number, command=command) for number in range(100))
        schedule.write_text(CROWD + "".join(crowd), encoding="utf-8")
        run = ["run", str(schedule), "--results", folder, "--quiet", "--concurrency", "2"]
        for words in (run, ["report", f"{folder}/crowd"]):
            process = subprocess.Popen([tournament, *words], stdout=subprocess.DEVNULL)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            if process.returncode:
                raise RuntimeError(f"tournament {' '.join(words)}: exit status {process.returncode}")
            yield words[0], usage.ru_maxrss / 1024


@contextmanager
def trivial_player() -> Iterator[Path]:
    """Compile the player, and remove it afterwards."""
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "trivial_player"
        compiler = os.environ.get("CXX", "g++")
        subprocess.run([compiler, "-O2", "-std=c++20", "-o", str(program), str(SOURCE)], check=True)
        yield program


def _cpu_s() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def _table_cpu_s() -> float:
    """Return the CPU time of this manager's table processes so far, in steps of the system's clock tick."""
    ticks = 0
    for task in Path("/proc/self/task").iterdir():
        for child in (task / "children").read_text("ascii").split():
            if b"fiedler.tournament.run.table_process" in Path(f"/proc/{child}/cmdline").read_bytes():
                fields = Path(f"/proc/{child}/stat").read_text("utf-8").rpartition(")")[2].split()
                ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def _rows(results: Sequence[Overhead]) -> Iterator[str]:
    """Yield a row for each, the best of its rounds; ratios are medians over the rounds."""
    ours = [result for result in results if result.who == "manager"]
    for who in dict.fromkeys(result.who for result in results):
        found = [result for result in results if result.who == who]
        first = found[0]
        speed = max(result.plies_per_s for result in found)
        rate = max(result.games_per_s for result in found)
        cpu = min(result.cpu_us_per_ply for result in found)
        ratio = median(one.cpu_us_per_ply / other.cpu_us_per_ply for one, other in zip(ours, found, strict=True))
        ratio_text = "" if who == "manager" else f"{ratio:.2f}"
        yield f"| {first.game} | {first.concurrency} | {who} | {speed:,.0f} | {rate:,.0f} | {cpu:.1f} | {ratio_text} |"


@click.command()
@click.option("--game", "played", type=click.Choice([*BOARDS]), multiple=True, default=[*BOARDS], help="Default: all.")
@click.option("--games", type=int, help=f"Games of each run, an even number; default: about {PLIES} plies.")
@click.option("--concurrency", type=int, multiple=True, default=[1, 2], show_default=True, help="Games at a time.")
@click.option("--processes", type=int, default=1, show_default=True, help="Table processes of one more measurement.")
@click.option("--rounds", type=int, default=5, show_default=True, help="Runs of each.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object per run.")
@click.option("--memory", is_flag=True, help="Measure the memory of a large run instead, which takes minutes.")
def main(
    played: Sequence[str],
    games: int | None,
    concurrency: Sequence[int],
    processes: int,
    rounds: int,
    *,
    as_json: bool,
    memory: bool,
) -> None:
    """Measure the cost of the manager."""
    if memory:
        with trivial_player() as player:
            for command, peak_mb in peak_memory(player):
                click.echo(f"tournament {command}: {peak_mb:.0f} MB at most")
        return
    if not as_json:
        click.echo("| game | concurrency | who | plies/s | games/s | CPU per ply, µs | manager over this |")
        click.echo("|---|---|---|---|---|---|---|")
    with trivial_player() as player:
        for game in played:
            for at_once in concurrency:
                number = games or 2 * (PLIES // 2 // LONGEST[game])
                results = list(take_turns(player, game, number, at_once, rounds, processes))
                lines = [json.dumps(structs.asdict(result)) for result in results] if as_json else _rows(results)
                for line in lines:
                    click.echo(line)


if __name__ == "__main__":
    main()
