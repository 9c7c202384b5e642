"""UCT: proven results, the tree kept between moves, the memory cap, the same tree for the same seed."""

from __future__ import annotations

import pytest

import native
from tests.native.positions import random_positions


def tree(game: str, **options: int) -> native.Mcts:
    return native.Mcts(game, **options)  # type: ignore[arg-type]


def search(searcher: native.Mcts, position: native.Position, nodes: int) -> native.SearchInfo:
    return searcher.search(position, native.Limits(nodes=nodes), native.StopFlag())


def test_finds_and_proves_a_win_in_one() -> None:
    position = native.Position("connect4")
    for move in "dcdcdc":
        position.play(position.parse_move(move))
    info = search(tree("connect4"), position, 10_000)
    assert position.move_text(info.pv[0]) == "d"
    assert (info.mate, info.score) == (1, 1.0)
    assert info.nodes < 10_000


def test_proves_a_lost_game() -> None:
    # X has two open ends: whatever O does, X wins.
    position = native.Position("connect4", "O;......./......./......./......./..OO.../..XXX..")  # a, f complete it
    info = search(tree("connect4"), position, 100_000)
    assert (info.mate, info.score) == (-1, 0.0)


@pytest.mark.parametrize("seed", range(5))
def test_proofs_agree_with_alpha_beta(game: str, seed: int) -> None:
    positions = [p for p in random_positions(game, 1, seed=seed) if p.result is None][-8:]
    for position in positions:
        proven = search(tree(game), position, 20_000)
        exact = native.Negamax(game).search(position, native.Limits(seconds=5), native.StopFlag())
        if proven.mate is not None:
            assert exact.mate is not None
            assert (exact.mate > 0) == (proven.mate > 0)
            assert proven.mate < 0 or proven.mate >= exact.mate  # a losing side need not hold out as long as it can
        if proven.proven_draw:
            assert exact.proven_draw


def test_same_seed_same_tree(game: str) -> None:
    position = random_positions(game, 1, seed=1)[2]
    runs = [search(tree(game, seed=7), position, 5_000) for _ in range(2)]
    assert len({(run.nodes, run.score, tuple(run.pv)) for run in runs}) == 1
    searcher = tree(game, seed=7)
    search(searcher, native.Position(game), 1_000)
    searcher.clear()
    assert search(searcher, position, 5_000).pv == runs[0].pv


def test_the_tree_is_kept_between_moves() -> None:
    searcher, position = tree("uttt"), native.Position("uttt")
    info = search(searcher, position, 20_000)
    assert info.best is not None
    position.play(info.best)
    search(searcher, position, 1)
    kept = searcher.size
    fresh = tree("uttt")
    search(fresh, position, 1)
    assert kept > 10 * fresh.size


def test_a_large_tree_is_given_up_where_keeping_it_would_cost_the_search() -> None:
    searcher, position = tree("uttt"), native.Position("uttt")
    info = search(searcher, position, 200_000)
    assert info.best is not None
    position.play(info.best)
    searcher.search(position, native.Limits(nodes=1, seconds=1e-5), native.StopFlag())
    assert searcher.size <= 1 + 9 + 9


def test_an_unrelated_position_starts_a_new_tree() -> None:
    searcher = tree("uttt")
    search(searcher, native.Position("uttt"), 5_000)
    position = random_positions("uttt", 1, seed=2)[10]
    search(searcher, position, 1)
    assert searcher.size <= 1 + 81 + 81


def test_memory_stays_under_its_cap() -> None:
    searcher = tree("connect4", hash_mb=1)
    search(searcher, native.Position("connect4"), 300_000)
    assert searcher.bytes_per_node == 16
    assert 30_000 < searcher.size <= 2**20 / searcher.bytes_per_node


def test_the_line_can_be_played(game: str) -> None:
    for position in random_positions(game, 2, seed=3)[::5]:
        info = search(tree(game), position, 500)
        assert (info.best is None) == (position.result is not None)
        for move in info.pv:
            position.play(move)


def test_heuristic_rollouts_win_at_once() -> None:
    position = native.Position("connect4")
    for move in "dcdcdc":
        position.play(position.parse_move(move))
    assert native.rollouts(position, 1_000, 1, "heuristic") == (1_000, 0, 0)


def test_unknown_rollout_is_refused() -> None:
    with pytest.raises(ValueError, match="rollout: expected 'random' or 'heuristic'"):
        native.Mcts("uttt", rollout="clever")


def test_more_simulations_play_better() -> None:
    """300 against 30 simulations a move on Connect 4: far above one half."""
    points = 0.0
    for number in range(20):
        position = native.Position("connect4")
        position.play(number % 7)
        strong = number % 2
        players = [tree("connect4", seed=number), tree("connect4", seed=number)]
        while position.result is None:
            side = position.side_to_move
            best = search(players[side], position, 300 if side == strong else 30).best
            assert best is not None
            position.play(best)
        points += (1 + position.result * (1 if strong == 0 else -1)) / 2
    assert points >= 14
