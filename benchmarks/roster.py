"""Many checkpoints on one machine: the time to the first game, and the memory of the players.

    python benchmarks/roster.py                    # 100 players
    python benchmarks/roster.py --players 1000
    python benchmarks/roster.py --isolate          # each player in a process of its own, for comparison

Each player is a copy of `models/uttt-small.onnx` (0.7 MB) in a file of its own. The run is stopped after its first
game. Then `engine serve --players` loads one model after the other, for the memory of a further one.
"""

from __future__ import annotations

import json
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import click

NET = Path(__file__).parent.parent / "models/uttt-small.onnx"
COMMANDS = Path(sys.executable).parent
SCHEDULE = """
[tournament]
name = "roster"
game = "uttt"
concurrency = 2

[limit]
nodes = 8
startup_s = 600

[pairing]
method = "ladder"
opponents = 2

[[players]]
models = "nets/*.onnx"
isolate = {isolate}
"""
LOOK_S = 0.02
"""Seconds between two looks at the run."""
LOADED = 32
"""Models whose memory is measured."""


def copies(folder: Path, players: int) -> None:
    """Write the models."""
    (folder / "nets").mkdir()
    for number in range(players):
        shutil.copyfile(NET, folder / f"nets/net-{number:04}.onnx")


def children(pid: int) -> list[int]:
    """Return a process and all its descendants."""
    found = [pid]
    for task in Path(f"/proc/{pid}/task").iterdir():
        for child in (task / "children").read_text("utf-8").split():
            found += children(int(child))
    return found


def memory_mb(pid: int) -> float:
    """Return the proportional memory (PSS) of a process."""
    rollup = Path(f"/proc/{pid}/smaps_rollup").read_text("utf-8")
    return next(int(line.split()[1]) for line in rollup.splitlines() if line.startswith("Pss:")) / 1024


def first_game(folder: Path, *, isolate: bool) -> dict[str, float]:
    """Return the seconds to the end of the first game, and the memory of all processes then."""
    schedule = folder / "roster.toml"
    schedule.write_text(SCHEDULE.format(isolate=str(isolate).lower()), "utf-8")
    events = folder / "results/roster/events.jsonl"
    began = time.monotonic()
    run = subprocess.Popen(
        [COMMANDS / "tournament", "run", schedule, "--results", folder / "results", "--progress", "none"],
        stdout=subprocess.DEVNULL,
    )
    try:
        while not (events.is_file() and '"finished"' in events.read_text("utf-8")):
            if run.poll() is not None:
                sys.exit("the run has ended before its first game")
            time.sleep(LOOK_S)
        seconds = time.monotonic() - began
        pids = children(run.pid)
        return {"first_game_s": seconds, "memory_mb": sum(map(memory_mb, pids)), "processes": len(pids)}
    finally:
        run.send_signal(signal.SIGINT)
        run.wait()


def further_model(folder: Path) -> float:
    """Return the memory of a further loaded model, in MiB."""
    tables = [f'[[players]]\nname = "{number}"\nmodel = "nets/net-{number:04}.onnx"\n' for number in range(LOADED)]
    file = folder / "players.toml"
    file.write_text("\n".join(tables), "utf-8")
    server = subprocess.Popen(
        [COMMANDS / "engine", "serve", "--game", "uttt", "--players", file, "--stdio"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        bufsize=0,
    )
    assert server.stdin is not None
    assert server.stdout is not None
    memory = []
    for number in range(LOADED):
        server.stdin.write(f"ugi\nsetoption name player value {number}\nposition startpos\ngo nodes 64\n".encode())
        said = b""
        while b"bestmove" not in said:
            select.select([server.stdout], [], [])
            said += server.stdout.read(65536)
        memory.append(memory_mb(server.pid))
    server.kill()
    server.wait()
    return (memory[-1] - memory[0]) / (LOADED - 1)


@click.command()
@click.option("--players", default=100, show_default=True, type=click.IntRange(LOADED, 10_000))
@click.option("--isolate", is_flag=True, help="Each player in a process of its own.")
def main(players: int, *, isolate: bool) -> None:
    """Print the measures as JSON."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        copies(folder, players)
        found = {"players": players, **first_game(folder, isolate=isolate)}
        print(json.dumps({**found, "further_model_mb": further_model(folder)}))


if __name__ == "__main__":
    main()
