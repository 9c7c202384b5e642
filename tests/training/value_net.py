"""A small system over a network without a policy: it learns results of games, its player looks one ply ahead."""

from __future__ import annotations

import io
import random
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from torch import nn

from fiedler.games import Game, game
from fiedler.native import Limits, Position, Samples, SearchInfo, StopFlag
from fiedler.players.bots import Seeded
from fiedler.players.model import INPUT
from fiedler.players.model_file import Heads
from fiedler.players.network_player import NetworkPlayer, device_setting, model_setting
from fiedler.players.player import OnInfo
from fiedler.training.model.export import Graph, onnx_file
from fiedler.training.recipe.entry import Entry
from fiedler.training.recipe.recipe import Count, Recipe, Share
from fiedler.training.recipe.system import OnProgress, Stamp, System

Floats = npt.NDArray[np.float32]


def best_move(position: Position, evaluate: Callable[[Floats], Floats]) -> int:
    """The move after which the opponent's expected result is lowest; ends of the game are exact."""
    moves = position.legal_moves()
    after = [position.copy() for _ in moves]
    for move, child in zip(moves, after, strict=True):
        child.play(move)
    values = evaluate(np.stack([child.planes() for child in after]))
    for place, child in enumerate(after):
        if child.result is not None:
            values[place] = child.result * (1 - 2 * child.side_to_move)
    return moves[int(values.argmin())]


@dataclass(slots=True)
class GreedySettings(Seeded):
    model: str = model_setting()
    device: str = device_setting()


class GreedyPlayer(NetworkPlayer):
    name = "greedy"
    description = "one ply ahead by the value of a network"
    settings_type = GreedySettings

    @classmethod
    def heads(cls, game: Game) -> Heads:
        return {"value": 1}

    @property
    def bounded(self) -> bool:
        return True

    def search(self, position: Position, limits: Limits, stop: StopFlag, on_info: OnInfo | None = None) -> SearchInfo:
        with self.asking():
            return SearchInfo(best_move(position, lambda planes: self.network.batcher.evaluate(planes)[0]))


class ValueEntry(Entry, frozen=True, kw_only=True):
    games: int
    value_loss: float


class ValueRecipe(Recipe, frozen=True, kw_only=True, tag="value"):
    entry = ValueEntry
    player = GreedyPlayer.name
    needs = ("torch", "onnx", "onnxruntime")

    hidden: Count
    games: Count
    """An iteration."""
    exploration: Share


class ValueSystem(System[ValueRecipe]):
    def __init__(self, recipe: ValueRecipe) -> None:
        super().__init__(recipe)
        self.game = game(recipe.game)
        torch.manual_seed(recipe.seed)
        torch.set_num_threads(1)
        cells = int(np.prod(self.game.position().planes_shape))
        self.layers = (nn.Linear(cells, recipe.hidden), nn.Linear(recipe.hidden, 1))
        self.net = nn.Sequential(nn.Flatten(), self.layers[0], nn.ReLU(), self.layers[1], nn.Tanh())
        self.optimiser = torch.optim.Adam(self.net.parameters(), lr=0.01)
        self.samples = Samples(recipe.game, 5000, "value")

    @property
    def memory(self) -> Samples:
        return self.samples

    def evaluate(self, planes: Floats) -> Floats:
        with torch.no_grad():
            values: Floats = self.net(torch.from_numpy(planes)).squeeze(1).numpy()
        return values

    def iterate(self, iteration: int, on_progress: OnProgress) -> ValueEntry:
        source = random.Random(self.recipe.seed + iteration)
        for number in range(self.recipe.games):
            self.play(source)
            on_progress(number + 1, self.recipe.games)
        losses = [self.learn(source.getrandbits(63)) for _ in range(60)]
        return ValueEntry(games=self.recipe.games, value_loss=sum(losses) / len(losses))

    def play(self, source: random.Random) -> None:
        position, line = self.game.position(), list[Position]()
        while position.result is None:
            line.append(position.copy())
            explores = source.random() < self.recipe.exploration
            position.play(source.choice(position.legal_moves()) if explores else best_move(position, self.evaluate))
        for passed in line:
            self.samples.add(passed, [np.array([position.result * (1 - 2 * passed.side_to_move)], np.float32)])

    def learn(self, seed: int) -> float:
        planes, values = (torch.from_numpy(one) for one in self.samples.draw(128, seed))
        loss = torch.nn.functional.mse_loss(self.net(planes).squeeze(1), values)
        self.optimiser.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        self.optimiser.step()
        return loss.item()

    def export(self, stamp: Stamp) -> bytes:
        graph = Graph()
        x = graph.relu(graph.linear(graph.flat(INPUT, "flat"), "hidden", self.layers[0]))
        graph.single(graph.node("Tanh", [graph.linear(x, "raw", self.layers[1])], "tanh"), "value")
        return onnx_file(graph, GreedyPlayer.heads(self.game), self.recipe, stamp)

    def state(self) -> bytes:
        file = io.BytesIO()
        torch.save([self.net.state_dict(), self.optimiser.state_dict()], file)
        return file.getvalue()

    def restore(self, state: bytes) -> None:
        net, optimiser = torch.load(io.BytesIO(state), weights_only=True)
        self.net.load_state_dict(net)
        self.optimiser.load_state_dict(optimiser)
