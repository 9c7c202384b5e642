"""Chess with two engines in Fiedler, fastchess and cutechess: the same games, games a second, CPU time of the manager.

    python -m benchmarks.chess_managers --fastchess PATH [--cutechess PATH] [--games 80] [--nodes 500] [--rounds 5]

Stockfish and Ethereal play with `nodes` in one thread, each opening with both colours, from the same file of openings.
Clock and CPU time (user and system) run from the first start of a game to the last end, as the manager prints them; the
CPU time is that of the manager's own process, without its engines. The managers take turns within a round. The games of
all are compared move by move: with a limit of nodes the engines are deterministic, so long as the manager sends each of
them the same commands.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from statistics import median
from typing import NamedTuple

import chess
import chess.pgn
import click

ENGINES = {"stockfish": "/usr/games/stockfish", "ethereal": "/usr/games/ethereal-chess"}
OPENINGS = Path(__file__).parents[1] / "configs" / "openings" / "chess40.txt"
SCHEDULE = """
[tournament]
name = "managers"
game = "chess"
games_per_pair = {games}
seed = 1
concurrency = {concurrency}

[limit]
nodes = {nodes}

[pairing]
method = "round-robin"

[openings]
file = "openings.epd"

[adjudication]
max_plies = 400
"""
PLAYER = """
[[players]]
name = "{name}"
command = ["{path}"]
protocol = "uci"
"""


class Cost(NamedTuple):
    """One command, and the games that it played."""

    seconds: float
    cpu_s: float
    """The CPU time of the manager's process, without its engines."""
    games: list[str]
    """The start and the moves of each game, in the order of these texts."""
    plies: int

    @property
    def games_per_s(self) -> float:
        """Games a second."""
        return len(self.games) / self.seconds

    @property
    def cpu_us_per_ply(self) -> float:
        """CPU time of a ply in microseconds."""
        return 1e6 * self.cpu_s / self.plies


class Match(NamedTuple):
    """What every manager is asked to play, in a folder with `openings.epd`."""

    folder: Path
    games: int
    nodes: int
    concurrency: int


def fiedler(match: Match) -> Cost:
    """Play with ours; the PGN of a run is written by a further command, which does not count."""
    schedule = match.folder / "managers.toml"
    players = "".join(PLAYER.format(name=name, path=path) for name, path in ENGINES.items())
    schedule.write_text(SCHEDULE.format(**match._asdict()) + players, encoding="utf-8")
    tournament = str(Path(sys.executable).with_name("tournament"))
    spent = watched([tournament, "run", str(schedule), "--fresh", "--results", str(match.folder)], match)
    return _cost(*spent, match.folder / "managers" / "games.pgn")


def fastchess(path: str, match: Match) -> Cost:
    """Play with fastchess."""
    return _rival(path, [], match)


def cutechess(path: str, match: Match) -> Cost:
    """Play with cutechess-cli."""
    return _rival(path, ["-repeat"], match)


def _rival(path: str, further: Sequence[str], match: Match) -> Cost:
    pgn = match.folder / "rival.pgn"
    pgn.unlink(missing_ok=True)
    command = [path]
    for name, engine in ENGINES.items():
        command += ["-engine", f"cmd={engine}", f"name={name}", "proto=uci"]
    command += ["-each", "tc=inf", f"nodes={match.nodes}", "-rounds", str(match.games // 2), "-games", "2", *further]
    command += ["-openings", f"file={match.folder / 'openings.epd'}", "format=epd", "order=sequential"]
    pgn_out = [f"file={pgn}"] if path.endswith("fastchess") else [str(pgn)]
    command += ["-concurrency", str(match.concurrency), "-maxmoves", "200", "-pgnout", *pgn_out]
    return _cost(*watched(command, match), pgn)


def watched(command: Sequence[str], match: Match) -> tuple[float, float]:
    """Run a command; return the seconds from its first start of a game to the last end, and its CPU time meanwhile.

    Raises:
        RuntimeError: The command failed.
    """
    lines: list[str] = []
    moments: list[tuple[float, float]] = []
    with subprocess.Popen(command, cwd=match.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as process:
        assert process.stdout is not None
        for line in process.stdout:
            lines.append(line.decode())
            if line.startswith((b"Started game", b"Finished game")):
                moments.append((time.monotonic(), _cpu_s(process.pid)))
    if process.returncode:
        raise RuntimeError(f"{command[0]}: exit status {process.returncode}\n{''.join(lines)}")
    (began, cpu_before), (ended, cpu_after) = moments[0], moments[-1]
    return ended - began, cpu_after - cpu_before


def _cpu_s(process: int) -> float:
    """Return the CPU time of a process without its children, in steps of the clock tick."""
    fields = Path(f"/proc/{process}/stat").read_text("utf-8").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _cost(seconds: float, cpu_s: float, pgn: Path) -> Cost:
    games, plies = [], 0
    with pgn.open(encoding="utf-8") as file:
        while game := chess.pgn.read_game(file):
            moves = [move.uci() for move in game.mainline_moves()]
            board = game.board()
            games.append(" ".join([game.headers["White"], board.epd(), *moves]))
            plies += len(moves)
    return Cost(seconds, cpu_s, sorted(games), plies)


def write_openings(folder: Path) -> None:
    """Write the end positions of the shipped openings as an EPD."""
    epds = []
    for line in OPENINGS.read_text("utf-8").splitlines():
        moves = line.partition("#")[0].split()
        if moves:
            board = chess.Board()
            for move in moves:
                board.push_uci(move)
            epds.append(f"{board.epd()}\n")
    (folder / "openings.epd").write_text("".join(epds), encoding="utf-8")


@click.command()
@click.option("--fastchess", "fastchess_path", metavar="PATH", help="The program; without it it does not play.")
@click.option("--cutechess", "cutechess_path", metavar="PATH", help="cutechess-cli likewise.")
@click.option("--games", default=80, show_default=True, help="Games of a run, an even number.")
@click.option("--nodes", default=500, show_default=True, help="Nodes of a move.")
@click.option("--concurrency", multiple=True, default=[1, 2], show_default=True, help="Games at a time.")
@click.option("--rounds", default=5, show_default=True, help="Runs of each manager.")
def main(
    fastchess_path: str | None,
    cutechess_path: str | None,
    games: int,
    nodes: int,
    concurrency: Sequence[int],
    rounds: int,
) -> None:
    """Play the same match with each manager in turns."""
    managers: dict[str, Callable[[Match], Cost]] = {"Fiedler": fiedler}
    if fastchess_path:
        managers["fastchess"] = partial(fastchess, fastchess_path)
    if cutechess_path:
        managers["cutechess"] = partial(cutechess, cutechess_path)
    click.echo("| concurrency | manager | games/s | CPU of a ply, µs | games as ours | games/s of ours over it | CPU |")
    click.echo("|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        write_openings(Path(folder))
        for at_once in concurrency:
            match = Match(Path(folder), games, nodes, at_once)
            found: dict[str, list[Cost]] = {name: [] for name in managers}
            for _ in range(rounds):
                for name, play in managers.items():
                    found[name].append(play(match))
            for name, costs in found.items():
                click.echo(_row(at_once, name, costs, found["Fiedler"]))


def _row(concurrency: int, name: str, costs: Sequence[Cost], ours: Sequence[Cost]) -> str:
    pace, cpu = median(cost.games_per_s for cost in costs), median(cost.cpu_us_per_ply for cost in costs)
    same = min(_shared(one.games, other.games) for one, other in zip(costs, ours, strict=True))
    faster = [our.games_per_s / one.games_per_s for one, our in zip(costs, ours, strict=True)]
    less = [our.cpu_us_per_ply / one.cpu_us_per_ply for one, our in zip(costs, ours, strict=True)]
    ratios = [f"{median(values):.2f} ({min(values):.2f} to {max(values):.2f})" for values in (faster, less)]
    total = len(costs[0].games)
    return f"| {concurrency} | {name} | {pace:.2f} | {cpu:.0f} | {same} of {total} | {ratios[0]} | {ratios[1]} |"


def _shared(one: Sequence[str], other: Sequence[str]) -> int:
    rest = list(other)
    shared = 0
    for game in one:
        if game in rest:
            rest.remove(game)
            shared += 1
    return shared


if __name__ == "__main__":
    main()
