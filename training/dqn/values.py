"""Q-values of many boards, by a network and by the rules."""

from __future__ import annotations

import numpy as np
import torch

from fiedler.training.dqn.boards import Bitboards, Floats, Moves
from fiedler.training.dqn.net import QNet
from fiedler.training.model.device import bfloat16

CHUNK = 1024
"""Bitboards in one call of the network."""
ILLEGAL = -2.0
"""Less than every Q-value."""


def q_values(net: QNet, boards: Bitboards, *, bf16: bool) -> Floats:
    """Return the Q-values, (n, 7); ILLEGAL for full columns."""
    values = np.empty((len(boards), 7), np.float32)
    with torch.no_grad(), bfloat16("cpu", wanted=bf16):
        for start in range(0, len(boards), CHUNK):
            planes = torch.from_numpy(boards[start : start + CHUNK].planes())
            logits = net(planes.to(memory_format=torch.channels_last))
            values[start : start + CHUNK] = torch.tanh(logits.float()).numpy()
    values[~boards.legal()] = ILLEGAL
    return values


def best_moves(values: Floats) -> Moves:
    """Return the move with the highest Q-value on each board, (n,)."""
    best: Moves = values.argmax(1)
    return best


def state_values(selecting: QNet, valuing: QNet, boards: Bitboards, *, bf16: bool) -> Floats:
    """Return the values of running positions for the side to move, (n,).

    One network selects the move and one gives its value; two networks are double Q-learning (van Hasselt et al. 2016).
    Where the rules decide a move at once (`Bitboards.known`), their value takes the place of both.
    """
    known = boards.known()
    decided = ~np.isnan(known)
    values = np.where(decided, known, q_values(valuing, boards, bf16=bf16))
    if selecting is valuing:
        best: Floats = values.max(1)
        return best
    chosen = best_moves(np.where(decided, known, q_values(selecting, boards, bf16=bf16)))
    found: Floats = values[np.arange(len(boards)), chosen]
    return found
