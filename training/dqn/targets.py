"""Targets: values that the network shall have for the moves of samples."""

from __future__ import annotations

import numpy as np

from fiedler.training.dqn.boards import COLUMNS, Bitboards, Floats
from fiedler.training.dqn.games import Random
from fiedler.training.dqn.net import QNet
from fiedler.training.dqn.recipe import DqnLearning
from fiedler.training.dqn.samples import Samples
from fiedler.training.dqn.values import state_values


def targets(net: QNet, average: QNet, samples: Samples, settings: DqnLearning, random: Random) -> Floats:
    """Return the targets of the moves of each sample, (n, 7); NaN for a move without one.

    A move that the rules decide at once has its exact value. The played move has its n-step return, by double
    Q-learning. Of the others, the share `lookahead` has the moving average's value of the position after it. Values of
    positions are negated where the other side is to move (negamax), not discounted, and cut to ± `bound`.
    """
    bf16, bound = settings.bf16, settings.bound
    boards = Bitboards(samples["own"], samples["mask"])
    found = boards.known()
    open_moves = boards.legal() & np.isnan(found)
    rows, moves = np.nonzero(open_moves & (random.random((len(boards), COLUMNS)) < settings.lookahead))
    found[rows, moves] = -state_values(average, average, boards[rows].play(moves), bf16=bf16)
    rows = np.flatnonzero(open_moves[np.arange(len(boards)), samples["move"]])
    found[rows, samples["move"][rows]] = _returns(net, average, samples[rows], bf16=bf16)
    found[open_moves] = np.clip(found[open_moves], -bound, bound)
    return found


def _returns(net: QNet, average: QNet, samples: Samples, *, bf16: bool) -> Floats:
    found = samples["end_own"].astype(np.float32) - 1
    runs = samples["sign"] != 0
    ends = Bitboards(samples["end_own"][runs], samples["end_mask"][runs])
    found[runs] = samples["sign"][runs] * state_values(net, average, ends, bf16=bf16)
    return found
