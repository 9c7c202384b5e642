"""Solve Connect 4 positions exactly and time it: the 300 of tests/data/games/connect4_scores.json, or the empty board.

    python benchmarks/solve_connect4.py                       the positions, each with an empty table
    python benchmarks/solve_connect4.py --empty               the empty board
    python benchmarks/solve_connect4.py --pons ./c4solver     Pascal Pons's program on the same positions, side by side

Processor time of one thread; exit code 1 if a score is wrong.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import track

from fiedler.native import Limits, Negamax, Position, SearchInfo, StopFlag

DATA = Path(__file__).parent.parent / "tests" / "data" / "games" / "connect4_scores.json"
PEER_NODES_PER_SECOND = 9.0e6
"""Nodes per second of Pons's program on a faster machine (benchmarks/README.md); the data has its nodes."""

OnInfo = Callable[[SearchInfo], None]


@dataclass
class Total:
    """The cost of solving."""

    nodes: int = 0
    seconds: float = 0.0
    wrong: int = 0


def score_of(position: Position, found: SearchInfo) -> int:
    """Return the exact score for the side to move: 22 less the winner's stones at the end, negative when losing."""
    if found.proven_draw:
        return 0
    if found.mate is None:
        raise SystemExit(f"{position}: not solved")
    mover = position.ply // 2  # stones of the side to move
    if found.mate > 0:
        return 22 - (mover + found.mate)
    return -(22 - (position.ply - mover - found.mate))


def solve(search: Negamax, position: Position, on_info: OnInfo | None = None) -> tuple[SearchInfo, float]:
    """Search to the end, with an empty table; return the result and the processor time in seconds."""
    search.clear()
    started = time.process_time()
    found = search.search(position, Limits(), StopFlag(), on_info)
    return found, time.process_time() - started


def solve_positions(search: Negamax, rows: list[dict[str, Any]]) -> Total:
    """Solve the positions of the data and compare every score."""
    total = Total()
    for row in track(rows, "solving", console=Console(stderr=True), transient=True):
        position = Position("connect4")
        for move in row["moves"]:
            position.play(move)
        found, seconds = solve(search, position)
        total.nodes += found.nodes
        total.seconds += seconds
        if score_of(position, found) != row["score"]:
            total.wrong += 1
            print(f"{position}: expected {row['score']}, got {score_of(position, found)}", file=sys.stderr)
    return total


def peer_seconds(program: str, rows: list[dict[str, Any]]) -> float:
    """Return the processor time of Pons's program, which reads one position per line, columns from 1."""
    lines = "".join("".join(str(move + 1) for move in row["moves"]) + "\n" for row in rows)
    before = os.times()
    done = subprocess.run([program], input=lines, text=True, capture_output=True, check=True)
    scores = [int(line.split()[1]) for line in done.stdout.splitlines() if line]
    if scores != [row["score"] for row in rows]:
        raise SystemExit(f"{program}: its scores are not those of {DATA}")
    after = os.times()
    return after.children_user + after.children_system - before.children_user - before.children_system


def said(info: SearchInfo) -> None:
    """Print the progress of a long search on standard error."""
    print(f"depth {info.depth}, {info.nodes} nodes, {info.seconds:.1f} s", file=sys.stderr)


def main() -> None:
    """Print the cost of solving."""
    parser = argparse.ArgumentParser(description="Solve Connect 4 positions exactly and time it.")
    parser.add_argument("--empty", action="store_true", help="the empty board in place of the positions")
    parser.add_argument("--hash-mb", type=int, default=128, help="size of the table, in MiB")
    parser.add_argument("--pons", metavar="PROGRAM", help="time this build of Pascal Pons's solver as well")
    chosen = parser.parse_args()
    search = Negamax("connect4", chosen.hash_mb)
    if chosen.empty:
        found, seconds = solve(search, Position("connect4"), said)
        print(f"empty board: score {score_of(Position('connect4'), found)}, {found.nodes} nodes, {seconds:.1f} s")
        return
    rows = json.loads(DATA.read_text("utf-8"))["positions"]
    total = solve_positions(search, rows)
    stored = sum(row["nodes"] for row in rows) / PEER_NODES_PER_SECOND
    peer, kind = (peer_seconds(chosen.pons, rows), "measured") if chosen.pons else (stored, "stored")
    speed = total.nodes / total.seconds / 1e6
    print(f"{len(rows)} positions: {total.nodes} nodes, {total.seconds:.2f} s, {speed:.1f} M nodes/s")
    print(f"Pons: {peer:.2f} s ({kind}); ours / his: {total.seconds / peer:.2f}; wrong scores: {total.wrong}")
    sys.exit(1 if total.wrong else 0)


if __name__ == "__main__":
    main()
