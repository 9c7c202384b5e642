"""The round-trip cost per ply of each dialect, beside UGI: games between two of our `random` players.

    python benchmarks/dialects.py                     # the table of benchmarks/README.md
    python benchmarks/dialects.py --dialect gtp --rounds 1 --json

A player is an `engine serve` process, behind a port (tcp) or on its pipes. One game runs at a time; only the time from
the start of a game to its end counts, and the CPU time of this process, the manager, in it. The player moves at once,
so the rest is both sides of the dialect, the wake-ups of three processes, and the referee. The dialects take turns,
with UGI before each: machines are noisy.
"""

from __future__ import annotations

import json
import resource
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import median

import click
from msgspec import Struct, structs

from fiedler.protocol import DIALECTS
from fiedler.tournament.run import manager
from fiedler.tournament.run.events import Event, Finished, Started

ENGINE = str(Path(sys.executable).with_name("engine"))
GAMES = {"gomocup": "gomoku15"}
"""The games of dialects that do not have `uttt`."""
ONE_GAME_A_PROCESS = {"rowcol", "rowcol-list"}
"""On pipes these start a program for every game: that is the cost of the program, not of the dialect."""

SCHEDULE = """
[tournament]
name = "dialect"
game = "{game}"
games_per_pair = {games}
seed = 1

[limit]
movetime_ms = 60000
startup_s = 60

[pairing]
method = "round-robin"
"""
PLAYER = """
[[players]]
name = "{name}"
protocol = "{dialect}"
{place}
"""


class Cost(Struct, frozen=True):
    """The cost of one run."""

    dialect: str
    carrier: str
    """`tcp` or `pipes`."""
    game: str
    plies: int
    us_per_ply: float
    """Time of a ply, in microseconds."""
    cpu_us_per_ply: float
    """CPU time of the manager for a ply, in microseconds."""


class Stopwatch:
    """A subscriber that adds up the time between the start and the end of each game."""

    def __init__(self) -> None:
        self.plies = 0
        self.seconds = self.cpu_s = 0.0
        self._began = (0.0, 0.0)

    def __call__(self, event: Event) -> None:
        """Receive an event."""
        now = time.perf_counter(), _cpu_s()
        if isinstance(event, Started):
            self._began = now
        elif isinstance(event, Finished):
            self.seconds += now[0] - self._began[0]
            self.cpu_s += now[1] - self._began[1]
            self.plies += len(event.game.moves)
            if event.game.termination != "rules":
                raise RuntimeError(f"a game ended by {event.game.termination}: {event.game.detail}")


def _cpu_s() -> float:
    usage = resource.getrusage(resource.RUSAGE_SELF)
    return usage.ru_utime + usage.ru_stime


def _player(name: str, dialect: str, carrier: str, game: str) -> str:
    words = [ENGINE, "serve", "--game", game, "--player", "random", "--protocol", dialect]
    if DIALECTS[dialect].dials_in:
        place = f"command = {json.dumps([*words, '--dial', '127.0.0.1:{port}'])}"
    elif carrier == "tcp":
        place = 'player = "random"'
    else:
        place = f"command = {json.dumps([*words, '--stdio'])}"
    return PLAYER.format(name=name, dialect=dialect, place=place)


def measure(dialect: str, carrier: str, game: str, games: int) -> Cost:
    """Play games and return their cost."""
    watch = Stopwatch()
    with tempfile.TemporaryDirectory() as folder:
        schedule = Path(folder) / "dialect.toml"
        players = (_player(name, dialect, carrier, game) for name in "ab")
        schedule.write_text(SCHEDULE.format(game=game, games=games) + "".join(players), encoding="utf-8")
        manager.run(schedule, results=Path(folder), concurrency=1, subscribers=[watch])
    us = 1e6 / watch.plies
    return Cost(dialect, carrier, game, watch.plies, us * watch.seconds, us * watch.cpu_s)


def carriers(dialect: str) -> Sequence[str]:
    """Return the carriers on which a dialect is measured."""
    one_sided = DIALECTS[dialect].dials_in or dialect in ONE_GAME_A_PROCESS
    return ("tcp",) if one_sided else ("tcp", "pipes")


def take_turns(dialect: str, carrier: str, games: int, rounds: int) -> Iterator[tuple[Cost, Cost]]:
    """Measure UGI and a dialect in turns."""
    game = GAMES.get(dialect, "uttt")
    for _ in range(rounds):
        yield measure("ugi", carrier, game, games), measure(dialect, carrier, game, games)


def _row(turns: Sequence[tuple[Cost, Cost]]) -> str:
    """Return the medians; ratios are medians over the rounds, with their range."""
    first = turns[0][1]
    us, cpu = median(one.us_per_ply for _, one in turns), median(one.cpu_us_per_ply for _, one in turns)
    ratios = [one.us_per_ply / ugi.us_per_ply for ugi, one in turns]
    ratio = f"{median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})"
    return f"| {first.dialect} | {first.carrier} | {first.game} | {1e6 / us:,.0f} | {us:.0f} | {cpu:.0f} | {ratio} |"


@click.command()
@click.option("--dialect", "dialects", type=click.Choice([*DIALECTS]), multiple=True, default=[*DIALECTS])
@click.option("--games", type=int, default=40, show_default=True, help="Games of each run, an even number.")
@click.option("--rounds", type=int, default=5, show_default=True, help="Runs of each.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object per run.")
def main(dialects: Sequence[str], games: int, rounds: int, *, as_json: bool) -> None:
    """Measure the cost of a ply in each dialect."""
    if not as_json:
        click.echo("| dialect | carrier | game | plies/s | a ply, µs | CPU of the manager, µs | over ugi |")
        click.echo("|---|---|---|---|---|---|---|")
    for dialect in dialects:
        for carrier in carriers(dialect):
            turns = list(take_turns(dialect, carrier, games, rounds))
            if as_json:
                for pair in turns:
                    for cost in pair:
                        click.echo(json.dumps(structs.asdict(cost)))
            else:
                click.echo(_row(turns))


if __name__ == "__main__":
    main()
