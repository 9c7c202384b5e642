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
import native
from native import Limits, Mcts, Negamax, Position, StopFlag, rollouts

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
