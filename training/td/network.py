"""TD(0) with a value network, which learns the targets of the newest games in batches."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import torch

from fiedler.games import game
from fiedler.native import Samples
from fiedler.training.judge.small_game import Node, small_game
from fiedler.training.model.torch_system import TorchSystem
from fiedler.training.recipe.system import OnProgress, Stamp
from fiedler.training.td.entry import TdEntry
from fiedler.training.td.net import fresh, to_onnx
from fiedler.training.td.recipe import TdNetRecipe
from fiedler.training.td.selfplay import begin, falling, move_loss, play_game


class TdNetwork(TorchSystem[TdNetRecipe]):
    """One network for both sides: it sees the board from the side to move."""

    def __init__(self, recipe: TdNetRecipe) -> None:
        super().__init__(recipe)
        self.small = small_game(game(recipe.game))
        self.net = fresh(recipe)
        self.optimiser = torch.optim.Adam(self.net.parameters())
        self.samples = Samples(recipe.game, recipe.learning.capacity, "value")
        self._planes = torch.from_numpy(np.stack([node.position.planes() for node in self.small.nodes]))
        self._values: dict[Node, float] = {}
        self._updates = 0

    @property
    def memory(self) -> Samples:
        """The newest positions with their targets."""
        return self.samples

    def values(self, node: Node) -> list[float]:
        """Return the value of each child for the side to move, as `_evaluate` found it."""
        return [-self._values[child] for child in node.children]

    def _evaluate(self) -> None:
        """Find the value of every position for its side to move by the present network, in one batch."""
        with torch.no_grad():
            found = self.net(self._planes).tolist()
        self._values = {
            node: value if node.result is None else float(node.value_for(node.side))
            for value, node in zip(found, self.small.nodes, strict=True)
        }

    def iterate(self, iteration: int, on_progress: OnProgress) -> TdEntry:
        """Play with the present network, then learn; see System."""
        selfplay, learning = self.recipe.selfplay, self.recipe.learning
        source = random.Random(self.recipe.seed + 1_000_003 * iteration)
        epsilon = falling(selfplay.epsilon, selfplay.final_epsilon, iteration, self.recipe.iterations)
        rate = falling(learning.rate, learning.final_rate, iteration, self.recipe.iterations)
        torch.set_num_threads(1)
        self._updates = 0
        self._evaluate()
        for number in range(1, selfplay.games + 1):
            play_game(begin(self.small, selfplay, source), self.values, self._keep, epsilon, source)
            on_progress(number, selfplay.games)
        loss = self._learn(rate, source) if len(self.samples) else 0.0
        self._evaluate()
        return TdEntry(
            games=(iteration + 1) * selfplay.games,
            updates=self._updates,
            positions=len(self.samples),
            epsilon=round(epsilon, 4),
            rate=round(rate, 6),
            move_loss=round(move_loss(self.small, self.values), 5),
            td_loss=round(loss, 5),
        )

    def _keep(self, node: Node, target: float) -> None:
        """Keep a target, which is for the side that moved, as one for the side to move."""
        self.samples.add(node.position, [np.array([-target], np.float32)])
        self._updates += 1

    def _learn(self, rate: float, source: random.Random) -> float:
        """Draw each new sample `passes` times on average, return the mean loss."""
        learning = self.recipe.learning
        for group in self.optimiser.param_groups:
            group["lr"] = rate
        losses = []
        for _ in range(max(1, round(self._updates * learning.passes / learning.batch))):
            planes, targets = (
                torch.from_numpy(one) for one in self.samples.draw(learning.batch, source.getrandbits(63))
            )
            loss = torch.nn.functional.mse_loss(self.net(planes), targets)
            self.optimiser.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            self.optimiser.step()
            losses.append(loss.item())
        return sum(losses) / len(losses)

    def export(self, stamp: Stamp) -> bytes:
        """Return the network as an ONNX file for the player td-net."""
        return to_onnx(self.net, self.recipe, stamp)

    def _parts(self) -> dict[str, Any]:
        return {"net": self.net.state_dict(), "optimiser": self.optimiser.state_dict()}

    def _restore_parts(self, parts: dict[str, Any]) -> None:
        self.net.load_state_dict(parts["net"])
        self.optimiser.load_state_dict(parts["optimiser"])
