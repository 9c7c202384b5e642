"""Measure the figures of `benchmarks/README.md` and print them as tables: `make bench`.

Every figure is one command, which is in the last column of the table. The peers' figures were measured once on a faster
machine; benchmarks/README.md names it.

    python benchmarks/speed.py              all tables
    python benchmarks/speed.py rollouts     only the named tables
"""

from __future__ import annotations

import json
import shlex
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from fiedler.support.text import counted
from fiedler.training.alphazero.recipe import AlphaZeroRecipe
from fiedler.training.nets.tables import ResidualTable
from fiedler.training.recipe.needs import need
from fiedler.training.recipe.registry import load, new_system
from fiedler.training.recipe.system import Stamp

BIN = Path(sys.executable).parent
SECONDS = 3
"""The time of every measurement by time."""


@dataclass(frozen=True)
class Measure:
    """One row: the figure of a command, the best peer's and the mark to reach."""

    what: str
    command: str
    """The command; `{}` is replaced by the words of `ratio_of`."""
    peer: float | None = None
    peer_name: str = ""
    mark: float | None = None
    figure: Callable[[dict[str, Any]], float] = lambda document: float(document["nps"])
    """The figure in the command's JSON document."""
    ratio_of: tuple[str, ...] = ()
    """Two words for `{}`: the figure is that of the command with the second over that with the first."""
    less_is_better: bool = False


def rollout_measures() -> Iterator[Measure]:
    """Yield rollouts a second from the start."""
    peers = {
        "tictactoe": (1.28e6, "OpenSpiel", 45e6),
        "connect4": (246e3, "OpenSpiel", 12e6),
        "uttt": (294e3, "ultimattt", 2.0e6),
        "uttt-majority": (None, "", None),
        "cube": (29e3, "OpenSpiel", 13e6),
        "gomoku9": (45e3, "OpenSpiel", 4.4e6),
        "gomoku15": (19e3, "OpenSpiel", 2.2e6),
        "gomoku20": (None, "", None),
        "standard15": (None, "", None),
        "renju15": (None, "", None),
    }
    for game, (peer, name, mark) in peers.items():
        command = f"engine bench --game {game} --player rollouts --seconds {SECONDS}"
        yield Measure(f"{game}: rollouts/s", command, peer, name, mark)
        if game == "uttt":
            wide = f"{command} --set side_by_side=16"
            yield Measure(f"{game}: rollouts/s, 16 side by side", wide, peer, name, 6e6)


def tree_measures() -> Iterator[Measure]:
    """Yield simulations a second from the start, at the peers' number of them, and the memory of a node."""
    peers = {
        "tictactoe": (1.75e6, None, 1_000_000),
        "connect4": (226e3, 3.2e6, 1_000_000),
        "uttt": (169e3, 1.2e6, 1_000_000),
        "cube": (26e3, 1.8e6, 1_000_000),
        "gomoku9": (38e3, 1.05e6, 1_000_000),
        "gomoku15": (16e3, 0.6e6, 100_000),
        "gomoku20": (None, None, 100_000),
    }
    for game, (peer, mark, nodes) in peers.items():
        command = f"engine bench --game {game} --player mcts --position startpos --nodes {nodes} --set hash_mb=1024"
        name = "utttai" if game == "uttt" else "OpenSpiel" if peer else ""
        yield Measure(f"{game}: UCT simulations/s at {nodes:.0e}".replace("e+0", "e"), command, peer, name, mark)
    yield Measure(
        "bytes per UCT node",
        "engine bench --game uttt --player mcts",
        82,
        "OpenSpiel",
        16,
        lambda document: float(document["bytes_per_node"]),
        less_is_better=True,
    )


def negamax_measures() -> Iterator[Measure]:
    """Yield alpha-beta nodes a second."""
    peers = {"connect4": (9.0e6, "Pons", 10e6), "uttt": (5.9e6, "ultimattt", 8e6)}
    for game in ("connect4", "uttt", "cube", "gomoku9", "gomoku15", "gomoku20", "standard15", "renju15"):
        command = f"engine bench --game {game} --player negamax --seconds {SECONDS}"
        yield Measure(f"{game}: negamax nodes/s", command, *peers.get(game, (None, "", None)))


def perft_measures() -> Iterator[Measure]:
    """Yield move paths a second."""
    peers = {"uttt": (8, 48e6, "ultimattt"), "connect4": (10, 38e6, "plain C++"), "cube": (4, 35e6, "plain C++")}
    for game, (depth, peer, name) in peers.items():
        command = f"engine perft --game {game} --depth {depth}"
        yield Measure(f"{game}: perft paths/s", command, peer, name, 100e6, _paths)


def _paths(document: dict[str, Any]) -> float:
    return float(document["nodes"][-1] / document["seconds"])


def thread_measures() -> Iterator[Measure]:
    """Yield the gain of a second thread on two idle cores."""
    measured = {"mcts": ("uttt", "connect4", "gomoku15"), "negamax": ("connect4", "uttt")}
    for player, game in ((player, game) for player, games in measured.items() for game in games):
        command = f"engine bench --game {game} --player {player} --seconds {SECONDS} --set threads={{}}"
        yield Measure(f"{game}: {player}, 2 threads over 1", command, mark=1.7, ratio_of=("1", "2"))


SESSIONS: dict[int, float | None] = {1: 0.8, 2: None, 16: None}
"""Numbers of sessions, and the share that one of them should reach of one thread of the network."""


def checkpoint_measures() -> Iterator[Measure]:
    """Yield the share of the network alone that its search reaches, with all costs."""
    bench = f"engine bench --player checkpoint --seconds {SECONDS}"
    need("torch")
    for int8, least in ((False, 0.9), (True, 0.8)):
        model = untrained_residual(int8=int8)
        what = f"uttt: 4×64 residual in {'int8' if int8 else 'fp32'}"
        yield Measure(what, f"{bench} --game uttt --model {model}", mark=least, figure=_share)
    for threads, mark in SESSIONS.items():
        what = f"uttt-small, {counted(threads, 'session')}"
        yield Measure(what, f"{bench} --game uttt --threads {threads}", mark=mark, figure=_share)
    for game, search in (("connect4", "solve"), ("cube", "threats"), ("gomoku9", "threats")):
        plain = f"--set {search}=0 --set candidates=false"
        yield Measure(f"{game}, without threats", f"{bench} --game {game} {plain}", mark=0.8, figure=_share)
        yield Measure(f"{game}, with threats", f"{bench} --game {game}", figure=_share)


def _share(found: dict[str, Any]) -> float:
    return float(found["evals_per_second"] / found["network_per_second"])


def untrained_residual(*, int8: bool) -> Path:
    """Return the file of an untrained network of four residual blocks with 64 channels; it needs torch."""
    recipe = load(Path("configs/training/uttt-small.toml"))
    assert isinstance(recipe, AlphaZeroRecipe)
    net = ResidualTable(channels=64, blocks=4, value_hidden=64)
    path = Path(f"results/training/uttt-4x64-{'int8' if int8 else 'fp32'}.onnx")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(new_system(msgspec.structs.replace(recipe, net=net, int8=int8)).export(Stamp()))
    return path


def run(command: str) -> str:
    """Run one of our commands and return what it prints."""
    program, *arguments = shlex.split(command)
    done = subprocess.run([str(BIN / program), *arguments], check=False, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"{command}: {done.stderr.strip()}")
    return done.stdout


def measured(measure: Measure) -> float:
    """Return the figure."""
    figures = [
        measure.figure(json.loads(run(f"{measure.command.format(word)} --json"))) for word in measure.ratio_of or ("",)
    ]
    return figures[1] / figures[0] if measure.ratio_of else figures[0]


def row(measure: Measure) -> str:
    """Return one row of the table: measure, ours, peer, ratio, mark, command."""
    ours = measured(measure)
    peer = f"{short(measure.peer)} ({measure.peer_name})" if measure.peer else ""
    ratio = f"{ours / measure.peer:.3g}" if measure.peer else ""
    command = measure.command.format(" and ".join(measure.ratio_of))
    return f"| {measure.what} | {short(ours)} | {peer} | {ratio} | {_evaluated(measure, ours)} | `{command}` |"


def _evaluated(measure: Measure, ours: float) -> str:
    """Return the mark, and the amount by which it is missed."""
    if measure.mark is None:
        return ""
    reached = ours / measure.mark if not measure.less_is_better else measure.mark / ours
    return f"{short(measure.mark)}: " + ("reached" if reached >= 1 else f"missed, {100 * reached:.0f} %")


def short(figure: float) -> str:
    """Return a figure with three digits, in thousands or millions."""
    for unit, size in (("M", 1e6), ("k", 1e3)):
        if figure >= size:
            return f"{figure / size:.3g} {unit}"
    return f"{figure:.3g}"


TABLES: dict[str, Callable[[], Iterator[Measure]]] = {
    "rollouts": rollout_measures,
    "trees": tree_measures,
    "negamax": negamax_measures,
    "perft": perft_measures,
    "threads": thread_measures,
    "checkpoint": checkpoint_measures,
}


def main() -> None:
    """Print the tables."""
    wanted = sys.argv[1:] or [*TABLES]
    if unknown := set(wanted) - {*TABLES}:
        sys.exit(f"unknown table {min(unknown)!r} (known: {', '.join(TABLES)})")
    began = time.monotonic()
    for name in wanted:
        print(f"\n### {name}\n\n| measure | ours | best peer | ratio | mark | command |\n|---|---|---|---|---|---|")
        for measure in TABLES[name]():
            print(row(measure), flush=True)
    print(f"\n{time.monotonic() - began:.0f} s in all", file=sys.stderr)


if __name__ == "__main__":
    main()
