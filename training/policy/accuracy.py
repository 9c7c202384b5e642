"""The accuracy of a network in the positions of held-out games."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch

from fiedler.games import Game
from fiedler.training.nets.policy_value import PolicyValueNet
from fiedler.training.policy.study import Study, taught

ROWS = 256
"""Positions that the network evaluates at a time."""
MOST = 4096
"""Positions that measure: those of the first held-out games."""


@dataclass(frozen=True, slots=True)
class Accuracy:
    """Shares of the positions, 0 to 1."""

    top1: float
    """Those whose move is the network's likeliest legal one."""
    top5: float
    """Those whose move is one of the five likeliest."""
    value: float
    """The mean squared error of the value against the target of learning."""


class HeldOut:
    """The positions of held-out games."""

    def __init__(self, game: Game, search_weight: float) -> None:
        self._game = game
        self._search_weight = search_weight
        self._planes: list[npt.NDArray[np.uint8]] = []
        self._legal: list[npt.NDArray[np.bool_]] = []
        self._labels: list[int] = []
        self._values: list[float] = []

    def __len__(self) -> int:
        return len(self._labels)

    def add(self, study: Study) -> None:
        """Add the positions of a game, if there is room."""
        weight = self._search_weight
        for one in taught(self._game, study):
            if len(self) < MOST:
                legal = np.zeros(one.position.num_actions, np.bool_)
                legal[one.position.legal_moves()] = True
                self._planes.append(one.position.planes().astype(np.uint8))
                self._legal.append(legal)
                self._labels.append(one.label)
                self._values.append((1 - weight) * one.result + weight * one.value)

    @torch.no_grad()
    def measure(self, net: PolicyValueNet) -> Accuracy:
        """Return the accuracy of a network in the memory of the processor; there must be positions."""
        policies, values = [], []
        for start in range(0, len(self), ROWS):
            planes = np.stack(self._planes[start : start + ROWS]).astype(np.float32)
            logits, value = net(torch.from_numpy(planes))
            policies.append(logits.numpy())
            values.append(value.numpy())
        policy = np.where(np.stack(self._legal), np.concatenate(policies), -np.inf)
        labels = np.array(self._labels)
        likelier = (policy > policy[np.arange(len(self)), labels][:, None]).sum(1)
        errors = np.concatenate(values) - np.array(self._values)
        return Accuracy(float((likelier < 1).mean()), float((likelier < 5).mean()), float((errors**2).mean()))
