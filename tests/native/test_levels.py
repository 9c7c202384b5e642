"""Every loadable build of the core gives the same results for the same seed; any other is refused."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from fiedler import native
from fiedler.native import _cpu
from fiedler.native.levels import LEVELS, SANITIZED, choose
from tests.patience import PATIENCE

PROGRAM = """
import numpy as np

from fiedler import native
from fiedler.native import BestFirst, Exchange, Limits, Mcts, Negamax, PatternNet, Position, StopFlag, rollouts

source = np.random.default_rng(1)
sizes = [(32, 23), (16, 32), (64, 144), (32, 64), (1, 32)]
layers = [
    ((source.standard_normal(size) / size[1] ** 0.5).astype(np.float32), np.full(size[0], 0.2, np.float32))
    for size in sizes
]
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
    if game.startswith("uttt"):
        tree = BestFirst(game, PatternNet(game, *layers), hash_mb=4)
        searched.append(tree.search(middle, Limits(nodes=300), StopFlag()))
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


def loadable() -> list[str]:
    """The installed builds that run on this processor, and the sanitized one if it is in use."""
    running = LEVELS[: LEVELS.index(_cpu.level()) + 1]
    return [level for level in native.BUILDS if level in running or level == SANITIZED == native.LEVEL]


def loaded_level(level: str) -> tuple[str, str]:
    """The loaded level, and its findings."""
    environment = {**os.environ, "FIEDLER_LEVEL": level, "PYTHONPATH": os.pathsep.join(sys.path)}
    if level != SANITIZED:
        environment.pop("LD_PRELOAD", None)
    words = [sys.executable, "-c", PROGRAM]
    done = subprocess.run(words, env=environment, check=True, capture_output=True, text=True, timeout=4 * PATIENCE)
    loaded, _, found = done.stdout.partition("\n")
    return loaded, found


@pytest.mark.numbers
@pytest.mark.skipif(len(loadable()) < 2, reason="only one build of the core runs here")
def test_every_build_finds_the_same() -> None:
    found = {}
    for level in loadable():
        loaded, found[level] = loaded_level(level)
        assert loaded == level
    assert set(found.values()) == {found[native.LEVEL]}


@pytest.mark.parametrize(
    ("built", "processor", "asked", "loaded"),
    [
        (LEVELS, "v4", "", "v4"),
        (LEVELS, "v3", "", "v3"),
        (LEVELS, "baseline", "", "baseline"),
        (("baseline", "v4"), "v3", "", "baseline"),
        (("v3",), "v4", "", "v3"),
        (LEVELS, "v4", "baseline", "baseline"),
        (("v4", SANITIZED), "v4", "", "v4"),
        (("v4", SANITIZED), "v4", SANITIZED, SANITIZED),
    ],
)
def test_the_best_build_that_runs_is_loaded_or_the_one_that_is_asked_for(
    built: tuple[str, ...], processor: str, asked: str, loaded: str
) -> None:
    assert choose(built, processor, asked) == loaded


@pytest.mark.parametrize(
    ("built", "processor", "asked", "message"),
    [
        (("v4",), "v3", "", "the native core here is built for v4, this processor runs v3; make clean demo"),
        ((), "v4", "", "built for no processor, this processor runs v4"),
        (("v4",), "v4", "baseline", r"FIEDLER_LEVEL: expected what is built and runs here \(v4\), got 'baseline'"),
        (LEVELS, "v3", "v4", r"FIEDLER_LEVEL: expected what is built and runs here \(baseline, v3\), got 'v4'"),
        (("v4",), "v4", SANITIZED, r"FIEDLER_LEVEL: expected what is built and runs here \(v4\), got 'sanitized'"),
    ],
)
def test_a_build_that_is_missing_or_does_not_run_is_one_sentence(
    built: tuple[str, ...], processor: str, asked: str, message: str
) -> None:
    with pytest.raises(ImportError, match=message):
        choose(built, processor, asked)


def test_an_unknown_level_is_refused() -> None:
    with pytest.raises(subprocess.CalledProcessError) as failure:
        loaded_level("v5")
    assert "FIEDLER_LEVEL: expected what is built and runs here (" in failure.value.stderr
    assert "got 'v5'" in failure.value.stderr
