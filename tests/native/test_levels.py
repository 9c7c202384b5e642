"""Every build of the core that this processor runs gives the same results for the same seed."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

import pytest

import native
from native import _core, _cpu
from tests.native.positions import SLOW

LEVELS = ("baseline", "v3", "v4")
PROGRAM = """
import numpy as np

import native
from native import Exchange, Limits, Mcts, Negamax, Position, StopFlag, rollouts

found = {}
for game in native.GAMES:
    start = Position(game)
    middle = start.copy()
    for ply in range(6):
        middle.play(native.choose_hsp(middle, ply))
    tallies = [rollouts(position, 64, 3, policy) for position in (start, middle) for policy in ("random", "heuristic")]
    if game.startswith("uttt"):
        tallies += [rollouts(position, 64, 3, side_by_side=16) for position in (start, middle)]
    searched = []
    for rollout in ("random", "heuristic"):
        searched.append(Mcts(game, rollout=rollout, seed=5, hash_mb=4).search(middle, Limits(nodes=300), StopFlag()))
    searched.append(Negamax(game, 1).search(middle, Limits(nodes=3000), StopFlag()))
    moves = [native.choose_osp(middle, 7), native.choose_hsp(middle, 7)]
    found[game] = tallies, moves, [(one.nodes, one.depth, one.score, one.mate, one.pv) for one in searched]
matrix = 9.0 * np.eye(9) - 1.0
for i, j in ((0, 1), (2, 5), (3, 7)):
    matrix[[i, j, i, j], [i, j, j, i]] += (-1.0, -1.0, 1.0, 1.0)
inverse = np.linalg.inv(matrix + 1.0)[None] - 1 / 81
edges = np.array([(i, j, 0) for i in range(9) for j in range(i + 1, 9) if matrix[i, j] < 0], dtype=np.int32)
core = Exchange(9, 1, np.full(9, 8, dtype=np.int32), edges, edges[:0], 1)
core.walk(inverse, inverse @ inverse, 0.01, 3000, 3000)
found["exchange"] = core.chosen.tolist(), inverse.tobytes().hex()
print(native.LEVEL)
print(found)
"""


def builds() -> list[str]:
    """The levels that are built and run here; the baseline is named `_core`."""
    folder = Path(_core.__file__).parent
    runs = LEVELS[: LEVELS.index(_cpu.level()) + 1]
    names = {"baseline": "_core", "v3": "_core_v3", "v4": "_core_v4"}
    return [level for level in runs if any((folder / f"{names[level]}{end}").exists() for end in EXTENSION_SUFFIXES)]


def told(level: str) -> tuple[str, str]:
    """The level that was loaded, and what it found."""
    environment = {**os.environ, "FIEDLER_LEVEL": level, "PYTHONPATH": os.pathsep.join(sys.path)}
    words = [sys.executable, "-c", PROGRAM]
    done = subprocess.run(words, env=environment, check=True, capture_output=True, text=True, timeout=100)
    loaded, _, found = done.stdout.partition("\n")
    return loaded, found


@pytest.mark.skipif(len(builds()) < 2, reason="only one build of the core runs here")
def test_every_level_finds_the_same() -> None:
    found = {}
    for level in builds():
        loaded, found[level] = told(level)
        assert loaded == level
    assert set(found.values()) == {found[native.LEVEL]}


@pytest.mark.skipif(SLOW, reason="the sanitized core is one build, in a place of its own")
def test_an_unknown_level_is_refused() -> None:
    with pytest.raises(subprocess.CalledProcessError) as failure:
        told("v5")
    assert "FIEDLER_LEVEL: expected one of baseline, v3, v4, got 'v5'" in failure.value.stderr
