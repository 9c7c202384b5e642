"""The network, its export, its learning."""

from __future__ import annotations

import copy
import re
from contextlib import closing
from typing import Any, NoReturn

import msgspec
import numpy as np
import pytest
import torch

from fiedler.games import FILLED, game
from fiedler.games.lines import lines_of
from fiedler.native import Limits, Samples, SelfPlay, StopFlag
from fiedler.players import Factory
from fiedler.players.checkpoint import CheckpointPlayer
from fiedler.players.model import load_bytes
from fiedler.support.errors import UsageError, WorkError
from fiedler.training.alphazero.recipe import AlphaZeroRecipe, GateTable
from fiedler.training.alphazero.system import AlphaZero
from fiedler.training.judge.sides import model_player
from fiedler.training.model.optimiser import learning_rate
from fiedler.training.model.quantise import random_planes
from fiedler.training.nets.embedding import EmbeddingNet
from fiedler.training.nets.export import to_onnx
from fiedler.training.nets.kinds import fresh
from fiedler.training.nets.learner import Learner
from fiedler.training.nets.lines import line_counts
from fiedler.training.nets.policy_value import PolicyValueNet
from fiedler.training.nets.tables import (
    AnyNet,
    CellsTable,
    EmbeddingTable,
    LinesTable,
    PlainTable,
    ResidualTable,
    VolumeTable,
)
from fiedler.training.recipe.system import Stamp
from tests.native.evaluator import has_opinions, serving
from tests.training.recipes import TINY

KERNELS = {"tictactoe": (2, 1), "connect4": (4, 1), "cube": (2, 2)}
LINES = [game for game in FILLED.values() if game.in_a_row and not game.blocks]


def embedding(game_id: str, hidden: tuple[int, ...] = (24, 24)) -> EmbeddingTable:
    kernel, stride = KERNELS.get(game_id, (3, 3))
    return EmbeddingTable(kernel=kernel, stride=stride, channels=8, mixed=4, hidden=list(hidden), value_hidden=8)


RESIDUAL = ResidualTable(channels=8, blocks=2, value_hidden=8)
KINDS: list[tuple[str, AnyNet]] = [
    *((one, embedding(one)) for one in FILLED),
    *((one, embedding(one, (24,))) for one in FILLED),
    *((one, RESIDUAL) for one in FILLED),
    ("gomoku9", PlainTable(layers=[8, 12], value_hidden=8)),
    *((one.id, LinesTable(hidden=[24, 24], value_hidden=8)) for one in LINES),
    *((one, CellsTable(channels=8, blocks=2, value_hidden=8)) for one in ("tictactoe", "uttt", "renju15", "gomoku20")),
    ("cube", VolumeTable(filters=6, padded=2, dense=[16, 12], value_hidden=8)),
]


def recipe_for(game_id: str, net: AnyNet, *, int8: bool = False) -> AlphaZeroRecipe:
    recipe = msgspec.structs.replace(TINY, name=f"{game_id}-test", game=game_id, net=net, int8=int8)
    recipe.check(refused)
    return recipe


def refused(key: str, complaint: str) -> NoReturn:
    raise UsageError(f"{key}: {complaint}")


def learnt(recipe: AlphaZeroRecipe) -> PolicyValueNet:
    """A network whose batch normalisation has seen other planes."""
    net = fresh(recipe).train()
    planes = torch.from_numpy(random_planes(game(recipe.game), 64, 1))
    for _ in range(20):
        net(planes)
    return net.eval()


@pytest.mark.parametrize(("game_id", "table"), KINDS)
def test_the_exported_network_answers_like_the_one_that_learned(game_id: str, table: AnyNet) -> None:
    recipe = recipe_for(game_id, table)
    net = learnt(recipe)
    model = load_bytes(to_onnx(net, recipe), CheckpointPlayer.purpose(game(game_id)))
    planes = random_planes(game(game_id), 33, 0)
    with torch.no_grad():
        policy, value = net(torch.from_numpy(planes))
    found_policy, found_value = model.evaluate(planes)
    assert found_policy.shape == (33, game(game_id).position().num_actions)
    assert np.allclose(found_policy, policy.numpy(), atol=1e-4)
    assert np.allclose(found_value, value.numpy(), atol=1e-4)
    assert (np.abs(found_value) <= 1).all()


@pytest.mark.parametrize(
    ("game_id", "table"),
    [
        ("connect4", ResidualTable(channels=32, blocks=2, value_hidden=16)),
        ("cube", LinesTable(hidden=[128, 64], value_hidden=16)),
        ("uttt", embedding("uttt", (128, 128))),
    ],
)
def test_a_network_in_int8_is_smaller_and_answers_nearly_alike(game_id: str, table: AnyNet) -> None:
    recipe = recipe_for(game_id, table, int8=True)
    net, planes = learnt(recipe), random_planes(game(game_id), 200, 0)
    data = to_onnx(net, recipe, planes=planes)
    with torch.no_grad():
        policy, value = net(torch.from_numpy(planes))
    model = load_bytes(data, CheckpointPlayer.purpose(game(game_id)))
    found_policy, found_value = model.evaluate(planes)
    assert len(data) < 0.6 * len(to_onnx(net, msgspec.structs.replace(recipe, int8=False)))
    assert np.abs(found_value - value.numpy()).mean() < 0.02
    spread = policy.numpy().std()
    assert np.abs(found_policy - policy.numpy()).mean() < 0.1 * spread


def test_open_lines_are_counted() -> None:
    played = game("tictactoe")
    weight, bias = line_counts(played)
    lines = lines_of(played.position(), 3)
    planes = torch.from_numpy(played.position(moves=["a1", "c3", "b1", "b3"]).planes()).flatten()
    counts = torch.clamp(weight @ planes + bias, 0, 1).reshape(2, 2, len(lines))
    names = [{played.position().move_text(cell) for cell in line} for line in lines]
    row, top = names.index({"a1", "b1", "c1"}), names.index({"a3", "b3", "c3"})
    column = names.index({"a1", "a2", "a3"})
    assert counts[:, :, row].tolist() == [[1, 1], [0, 0]]
    assert counts[:, :, top].tolist() == [[0, 0], [1, 1]]
    assert counts[:, :, column].tolist() == [[1, 0], [0, 0]]


@pytest.mark.parametrize(
    ("game_id", "table", "complaint"),
    [
        ("tictactoe", embedding("connect4"), "net.kernel: expected at most 3, got 4"),
        ("uttt", LinesTable(hidden=[8], value_hidden=8), "'lines' needs a game won by lines of cells, got uttt"),
        ("gomoku9", VolumeTable(filters=2, dense=[4], value_hidden=4), "needs a board of three layers or more"),
    ],
)
def test_a_network_that_does_not_fit_the_board_is_refused(game_id: str, table: AnyNet, complaint: str) -> None:
    with pytest.raises(UsageError, match=re.escape(complaint)):
        recipe_for(game_id, table)


def weights(net: PolicyValueNet) -> torch.Tensor:
    return torch.cat([p.detach().flatten() for p in net.parameters()])


def test_the_same_seed_gives_the_same_network() -> None:
    one, same, other = (fresh(msgspec.structs.replace(TINY, seed=seed)) for seed in (1, 1, 2))
    assert torch.equal(weights(one), weights(same))
    assert not torch.equal(weights(one), weights(other))


def test_one_embedding_serves_every_local_board() -> None:
    """With kernel and stride 3, a uttt network embeds all nine boards by the same weights."""
    net = fresh(recipe_for("uttt", embedding("uttt")))
    assert isinstance(net, EmbeddingNet)
    planes = torch.zeros(1, 6, 9, 9)
    planes[0, 0, 0, 0] = planes[0, 0, 3, 6] = 1  # the same cell of boards 1 and 6
    seen = net.embed(planes)[0]
    assert torch.equal(seen[:, 0, 0], seen[:, 1, 2])
    assert not torch.equal(seen[:, 0, 0], seen[:, 2, 2])


def test_learning_lowers_both_losses() -> None:
    samples = Samples("tictactoe", 2000, "policy-value")
    with serving("tictactoe", has_opinions("tictactoe"), rows=64) as batcher:
        SelfPlay("tictactoe", batcher, seed=1, **TINY.selfplay.settings()).play(1500, samples)
    learner, steps = Learner(fresh(TINY), TINY), TINY.learning.steps(1500)
    first = learner.learn(samples, 30, 0)
    for iteration in range(1, 5):
        last = learner.learn(samples, steps, iteration)
    assert last.policy < 0.9 * first.policy
    assert last.value < 0.9 * first.value
    assert last.steps == steps == round(1500 * TINY.learning.passes / TINY.learning.batch)


def test_the_rate_rises_and_falls() -> None:
    rates = [learning_rate(TINY.learning, i, TINY.iterations) for i in range(TINY.iterations)]
    assert rates[0] == pytest.approx(TINY.learning.rate / 2)
    assert rates[1] == TINY.learning.rate
    assert rates[1:] == sorted(rates[1:], reverse=True)
    assert rates[-1] == pytest.approx(TINY.learning.final_rate)


def test_a_learner_continues_from_its_state() -> None:
    samples = Samples("tictactoe", 500, "policy-value")
    with serving("tictactoe", has_opinions("tictactoe"), rows=64) as batcher:
        SelfPlay("tictactoe", batcher, seed=1, **TINY.selfplay.settings()).play(400, samples)

    one, other = Learner(fresh(TINY), TINY), Learner(fresh(TINY), TINY)
    one.learn(samples, 6, 0)
    other.restore(copy.deepcopy(one.state()))
    one.learn(samples, 6, 1)
    other.learn(samples, 6, 1)
    assert torch.equal(weights(one.net), weights(other.net))


@pytest.mark.parametrize(("score", "accepted"), [(0.0, True), (1.0, False)])
def test_a_gate_keeps_the_best_network(score: float, accepted: bool) -> None:
    learning = msgspec.structs.replace(TINY.learning, samples=300)
    table = GateTable(games=4, score=score, simulations=8, plies=2)
    system = AlphaZero(msgspec.structs.replace(TINY, learning=learning, gate=table))
    before = weights(system.learner.net).clone()
    try:
        entry = system.iterate(0, lambda *_: None)
    finally:
        system.close()
    assert entry.accepted == accepted
    assert entry.gate_score is not None
    assert 0 <= entry.gate_score <= 1
    assert torch.equal(weights(system.learner.net), before) != accepted


def test_a_gate_ends_its_first_player_if_the_second_cannot_be_loaded(monkeypatch: pytest.MonkeyPatch) -> None:
    table, made = GateTable(games=2, simulations=2, plies=2), list[Factory]()

    def kept(*args: Any) -> Factory:
        made.append(model_player(*args))
        return made[-1]

    monkeypatch.setattr("fiedler.training.alphazero.system.model_player", kept)
    system = AlphaZero(msgspec.structs.replace(TINY, gate=table))
    assert system._gate is not None
    with pytest.raises(UsageError, match=r"best\.onnx"):
        system._gate_score(system._gate, table, (system.export(Stamp()), b""), 0)
    (first,) = made
    with pytest.raises(WorkError), closing(first.player()) as player:
        player.search(system.game.position(), Limits(nodes=1), StopFlag())
