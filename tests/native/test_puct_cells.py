"""PUCT whose leaves a network of cells values at once, while the network of the batcher judges the moves."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from fiedler import native
from tests.native.evaluator import Floats, has_opinions, knows_nothing, serving
from tests.native.incremental import CELL_GAMES, cell_net
from tests.native.positions import random_positions
from tests.native.test_puct import known, search, tree


def quiet_positions(game: str) -> list[native.Position]:
    """Early positions: nothing is forced yet."""
    return [p for p in random_positions(game, 8, seed=3) if p.result is None and 1 <= p.ply <= 4]


def priors_of(searcher: native.Puct) -> dict[int, float]:
    return {one.move: one.prior or 0.0 for one in searcher.root_moves()}


@pytest.mark.parametrize("game", CELL_GAMES)
def test_a_leaf_has_the_value_of_the_network_of_cells(game: str) -> None:
    cells, positions = cell_net(game), quiet_positions(game)
    assert len(positions) > 8
    with serving(game, knows_nothing(game)) as batcher:
        for position in positions:
            score = search(tree(game, batcher, cells=cells), position, 1).score
            assert 2 * score - 1 == pytest.approx(cells.value(position), abs=0.006)


@pytest.mark.numbers
@pytest.mark.parametrize("game", CELL_GAMES)
def test_the_same_position_and_nodes_give_the_same_tree(game: str) -> None:
    """The knowledge has followed other positions before; its sums are compared in the build with asserts."""
    positions = [p for p in random_positions(game, 1, seed=4) if p.result is None][::9]
    with serving(game, has_opinions(game)) as batcher:
        options: dict[str, Any] = {"cells": cell_net(game), "ask_from": 20, "batch": 2}
        again = tree(game, batcher, **options)
        for position in positions:
            again.clear()
            assert known(search(again, position, 300)) == known(search(tree(game, batcher, **options), position, 300))
        assert batcher.stats().rows > 0


def test_the_network_judges_the_moves_of_nodes_with_many_visits() -> None:
    position = native.Position("renju15")
    for move in ("h8", "h9", "j10"):
        position.play(position.parse_move(move))
    logits = np.random.default_rng(1).permutation(position.num_actions).astype(np.float32) / 50

    def evaluate(planes: Floats) -> tuple[Floats, Floats]:
        return np.tile(logits, (len(planes), 1)), np.zeros(len(planes), np.float32)

    def priors(visits: int) -> dict[int, float]:
        search(searcher := tree("renju15", batcher, cells=cell_net("renju15"), ask_from=50, batch=1), position, visits)
        return priors_of(searcher)

    with serving("renju15", evaluate) as batcher:
        before = priors(50)
        assert batcher.stats().rows == 0
        after = priors(52)
        assert batcher.stats().rows >= 1
    assert after.keys() == before.keys()
    wanted = {move: np.exp(logits[move]) for move in after}
    assert after == pytest.approx({move: one / sum(wanted.values()) for move, one in wanted.items()}, rel=1e-4)
    assert before != pytest.approx(after, rel=0.1)


def test_a_node_and_its_child_may_wait_for_the_network_together() -> None:
    """The judgement of the node sorts its children; that of the child must still find it."""
    opinions, cells, judged = has_opinions("renju15"), cell_net("renju15"), 0
    with serving("renju15", opinions) as batcher:
        for position in quiet_positions("renju15"):
            search(searcher := tree("renju15", batcher, cells=cells, ask_from=12, batch=4), position, 800)
            position.play(searcher.root_moves()[0].move)
            search(searcher, position, 1)
            search(fresh := tree("renju15", batcher, cells=cells), position, 2)
            found = priors_of(searcher)
            logits = opinions(position.planes()[None].astype(np.float32))[0][0]
            odds = {move: np.exp(logits[move]) for move in found}
            by_network = found == pytest.approx(
                {move: one / sum(odds.values()) for move, one in odds.items()}, rel=1e-3
            )
            assert by_network or found == pytest.approx(priors_of(fresh), rel=1e-3)
            judged += by_network
    assert judged > 8


@pytest.mark.parametrize("game", ["gomoku15", "renju15"])
def test_a_win_by_threats_is_proven_at_once(game: str) -> None:
    positions = [p for p in random_positions(game, 20, seed=5) if p.result is None]
    won = [(p, found[0]) for p in positions if (found := native.forced_win(p, 900)) and found[0] > 3]
    assert won
    with serving(game, knows_nothing(game)) as batcher:
        for position, plies in won[:10]:
            info = search(tree(game, batcher, cells=cell_net(game)), position, 100)
            assert (info.nodes, info.mate) == (1, (plies + 1) // 2)


def test_a_network_of_another_game_is_refused() -> None:
    for game in ("gomoku9", "uttt"):
        with serving(game, knows_nothing(game)) as batcher, pytest.raises(ValueError, match=f"not made for {game}"):
            tree(game, batcher, cells=cell_net("gomoku15"))


def test_a_failure_of_the_network_ends_the_search() -> None:
    def fails(planes: Floats) -> tuple[Floats, Floats]:
        raise OSError("no device")

    with serving("gomoku9", fails) as batcher:
        searcher = tree("gomoku9", batcher, cells=cell_net("gomoku9"), ask_from=10, batch=1)
        with pytest.raises(native.EvaluationError, match="no device"):
            search(searcher, native.Position("gomoku9"), 1000)
