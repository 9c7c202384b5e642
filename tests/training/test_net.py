"""The network, its export, its learning."""

from __future__ import annotations

import copy

import msgspec
import numpy as np
import pytest
import torch

from games import GAMES, game
from native import Samples, SelfPlay
from players.checkpoint import CheckpointPlayer
from players.model import load_bytes
from tests.native.evaluator import has_opinions, serving
from tests.training.recipes import TINY
from training.alphazero.export import to_onnx
from training.alphazero.learner import Learner
from training.alphazero.net import PolicyValueNet, fresh
from training.alphazero.recipe import AlphaZeroRecipe, Net

NETS = {"tictactoe": (2, 1), "connect4": (4, 1), "cube": (2, 2)}


def recipe_for(game_id: str, hidden: tuple[int, ...] = (24, 24)) -> AlphaZeroRecipe:
    kernel, stride = NETS.get(game_id, (3, 3))
    net = Net(kernel=kernel, stride=stride, channels=8, mixed=4, hidden=list(hidden), value_hidden=8)
    return msgspec.structs.replace(TINY, name=f"{game_id}-test", game=game_id, net=net)


@pytest.mark.parametrize("game_id", GAMES)
@pytest.mark.parametrize("hidden", [(24,), (24, 24, 16)])
def test_the_exported_network_answers_like_the_one_that_learned(game_id: str, hidden: tuple[int, ...]) -> None:
    recipe = recipe_for(game_id, hidden)
    net = fresh(recipe)
    model = load_bytes(to_onnx(net, recipe), CheckpointPlayer.purpose(game(game_id)))
    planes = np.random.default_rng(0).random((33, *game(game_id).position().planes_shape)).astype(np.float32)
    with torch.no_grad():
        policy, value = net(torch.from_numpy(planes))
    found_policy, found_value = model.evaluate(planes)
    assert found_policy.shape == (33, game(game_id).position().num_actions)
    assert np.allclose(found_policy, policy.numpy(), atol=1e-5)
    assert np.allclose(found_value, value.numpy(), atol=1e-5)
    assert (np.abs(found_value) <= 1).all()


def test_the_same_seed_gives_the_same_network() -> None:
    one, same, other = (fresh(msgspec.structs.replace(TINY, seed=seed)) for seed in (1, 1, 2))
    assert torch.equal(one.policy.weight, same.policy.weight)
    assert not torch.equal(one.policy.weight, other.policy.weight)


def test_one_embedding_serves_every_local_board() -> None:
    """With kernel and stride 3, a uttt network embeds all nine boards by the same weights."""
    net = fresh(recipe_for("uttt"))
    planes = torch.zeros(1, 6, 9, 9)
    planes[0, 0, 0, 0] = planes[0, 0, 3, 6] = 1  # the same cell of boards 1 and 6
    seen = net.embed(planes)[0]
    assert torch.equal(seen[:, 0, 0], seen[:, 1, 2])
    assert not torch.equal(seen[:, 0, 0], seen[:, 2, 2])


def test_learning_lowers_both_losses() -> None:
    samples = Samples("tictactoe", 2000, "policy-value")
    with serving("tictactoe", has_opinions("tictactoe"), rows=64) as batcher:
        settings = {name: getattr(TINY.selfplay, name) for name in TINY.selfplay.__struct_fields__}
        SelfPlay("tictactoe", batcher, seed=1, **settings).play(1500, samples)
    learner = Learner(fresh(TINY), TINY)
    first = learner.learn(samples, 300, 0)
    for iteration in range(1, 5):
        last = learner.learn(samples, 1500, iteration)
    assert last.policy < 0.9 * first.policy
    assert last.value < 0.9 * first.value
    assert last.steps == round(1500 * TINY.learning.passes / TINY.learning.batch)


def test_the_rate_rises_and_falls() -> None:
    learner = Learner(fresh(TINY), TINY)
    rates = [learner.rate(i) for i in range(TINY.iterations)]
    assert rates[0] == pytest.approx(TINY.learning.rate / 2)
    assert rates[1] == TINY.learning.rate
    assert rates[1:] == sorted(rates[1:], reverse=True)
    assert rates[-1] == pytest.approx(TINY.learning.final_rate)


def test_a_learner_continues_from_its_state() -> None:
    samples = Samples("tictactoe", 500, "policy-value")
    with serving("tictactoe", has_opinions("tictactoe"), rows=64) as batcher:
        settings = {name: getattr(TINY.selfplay, name) for name in TINY.selfplay.__struct_fields__}
        SelfPlay("tictactoe", batcher, seed=1, **settings).play(400, samples)

    def weights(net: PolicyValueNet) -> torch.Tensor:
        return torch.cat([p.detach().flatten() for p in net.parameters()])

    one, other = Learner(fresh(TINY), TINY), Learner(fresh(TINY), TINY)
    one.learn(samples, 200, 0)
    other.restore(copy.deepcopy(one.state()))
    one.learn(samples, 200, 1)
    other.learn(samples, 200, 1)
    assert torch.equal(weights(one.net), weights(other.net))
