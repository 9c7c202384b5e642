"""Best-first search over values, the incremental network, and self-play for Descent."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np
import pytest

from fiedler import native
from tests.native.evaluator import Floats, serving
from tests.native.incremental import Layers, layers, net
from tests.native.positions import SLOW, random_positions
from tests.patience import PATIENCE

PATTERNS = ["uttt", "uttt-majority"]


def has_values(game: str) -> Any:
    """Answer every row with its own value."""
    cells = int(np.prod(native.Position(game).planes_shape))
    weights = np.random.default_rng(0).standard_normal(cells).astype(np.float32)
    return lambda planes: [np.tanh((planes.reshape(len(planes), -1) * weights).sum(1) / 8).astype(np.float32)]


def described(position: native.Position) -> Floats:
    """The description of each board, from the planes: slow, and another way than the core's."""
    planes = position.planes().reshape(6, 3, 3, 3, 3).transpose(1, 3, 0, 2, 4).reshape(9, 6, 9)
    own, other, legal, won, lost, drawn = (planes[:, i] for i in range(6))
    result = np.stack([won.any(1), lost.any(1), drawn.any(1)], 1)
    playable = legal.any(1)
    several = playable.sum() > 1
    use = np.stack([playable & ~several, playable & several], 1)
    still_open = ~result.any(1, keepdims=True)
    return np.concatenate([own * still_open, other * still_open, result, use], 1).astype(np.float32)


def value_in_floats(weights: Layers, position: native.Position) -> float:
    (w1, b1), (w2, b2), (w3, b3), (w4, b4), (w5, b5) = weights
    x = np.maximum(described(position) @ w1.T + b1, 0) @ w2.T + b2
    x = np.clip(w3 @ x.reshape(-1) + b3, 0, 1)
    x = np.clip(w4 @ x + b4, 0, 1)
    found = float((w5 @ x + b5)[0])
    return found / float(np.sqrt(1 + found * found))


@pytest.mark.parametrize("game", PATTERNS)
@pytest.mark.slow
def test_the_network_in_whole_numbers_is_the_one_in_floats(game: str) -> None:
    positions = [p for p in random_positions(game, 20, seed=1) if p.result is None]
    for seed in range(1 if SLOW else 3):
        weights = layers(seed)
        whole = native.PatternNet(game, *weights)
        difference = [whole.value(p) - value_in_floats(weights, p) for p in positions]
        assert max(map(abs, difference)) < 0.004
        assert np.std([whole.value(p) for p in positions]) > 0.02


@pytest.mark.parametrize("game", PATTERNS)
def test_patterns_of_samples_describe_the_boards(game: str) -> None:
    table = native.pattern_inputs(game)
    assert len(np.unique(table, axis=0)) == len(table)
    for position in random_positions(game, 5, seed=2):
        samples = native.Samples(game, 1, "value")
        assert samples.places == 9
        samples.add(position, [np.array([0.25], np.float32)])
        expected = {described(position.transformed(s)).tobytes() for s in range(position.num_symmetries)}
        drawn, values = samples.draw_patterns(40, 3)
        assert {np.ascontiguousarray(table[row]).tobytes() for row in drawn} == expected
        assert (values == 0.25).all()


def test_values_of_moves_are_those_of_the_positions_after_them() -> None:
    network = net()
    for position in random_positions("uttt", 3 if SLOW else 30, seed=3):
        if position.result is not None:
            continue
        searcher = native.BestFirst("uttt", network, hash_mb=1)
        searcher.search(position, native.Limits(nodes=1), native.StopFlag())
        moves = searcher.root_moves()
        assert sorted(m.move for m in moves) == position.legal_moves()
        for move in moves:
            after = position.copy()
            after.play(move.move)
            if (
                after.result is None
                and native.Negamax("uttt", 1).search(after, native.Limits(depth=1), native.StopFlag()).mate != 1
            ):
                assert move.score == (1 - np.float32(network.value(after))) / 2


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda w: w.pop(), "incompatible"),
        (lambda w: w.__setitem__(2, (w[2][0][:, 1:].copy(), w[2][1])), r"layer first: expected 64 x 144, got 64 x 143"),
        (lambda w: w.__setitem__(2, (w[2][0][:48].copy(), w[2][1][:48].copy())), "width"),
        (lambda w: w.__setitem__(4, (w[4][0], w[4][1][:0].copy())), "layer last: expected 1 biases"),
        (lambda w: w[3][0].__setitem__((0, 0), np.nan), "not a number"),
        (lambda w: w[3][0].__setitem__((0, 0), 1e9), "too large"),
        (lambda w: w[2][0].__setitem__((0, 0), 1e6), "too large"),
    ],
)
def test_unfit_weights_are_refused(change: Any, message: str) -> None:
    weights = layers(0)
    change(weights)
    with pytest.raises((ValueError, TypeError), match=message):
        native.PatternNet("uttt", *weights)


def test_a_game_without_patterns_is_refused() -> None:
    with pytest.raises(ValueError, match="no patterns in game connect4"):
        native.pattern_inputs("connect4")
    with pytest.raises(ValueError, match="not made for connect4"):
        native.BestFirst("connect4", net())


def test_nodes_are_expansions_and_the_tree_is_the_same(game: str) -> None:
    def run(nodes: int) -> tuple[Any, ...]:
        with serving(game, has_values(game), heads=[("value", 1)]) as batcher:
            searcher = native.BestFirst(game, batcher, hash_mb=8)
            info = searcher.search(native.Position(game), native.Limits(nodes=nodes), native.StopFlag())
            moves = [(m.move, m.visits, m.score) for m in searcher.root_moves()]
            return info.nodes, info.score, tuple(info.pv), moves

    for nodes in (1, 2, 20):
        found = run(nodes)
        assert found[0] == nodes
        assert found == run(nodes)
        assert sum(visits for _, visits, _ in found[3]) == nodes - 1  # the first expansion was the root's own


@pytest.mark.numbers
@pytest.mark.parametrize("game", PATTERNS)
def test_results_near_the_end_are_those_of_negamax(game: str) -> None:
    found = random_positions(game, 20, seed=5)
    late = [p for p in found if p.result is None and len(p.legal_moves()) * p.ply > 300]
    assert len(late) > 2
    proven = 0
    for position in late:
        exact = native.Negamax(game, 16).search(position, native.Limits(nodes=5_000), native.StopFlag())
        ours = native.BestFirst(game, net(game=game), hash_mb=32).search(
            position, native.Limits(nodes=3_000), native.StopFlag()
        )
        if all(info.proven_draw or info.mate is not None for info in (exact, ours)):
            proven += 1
            assert (ours.score, ours.proven_draw) == (exact.score, exact.proven_draw)
    assert proven > 2


@pytest.mark.numbers
def test_a_decided_game_is_played_to_its_end() -> None:
    searcher = native.BestFirst("uttt", net(), hash_mb=32)
    won = 0
    for position in random_positions("uttt", 40, seed=6):
        if position.result is not None:
            continue
        info = searcher.search(position, native.Limits(nodes=300), native.StopFlag())
        if info.mate is None:
            continue
        won += 1
        end = position.copy()
        for move in info.pv:
            end.play(move)
        winner = position.side_to_move if info.mate > 0 else 1 - position.side_to_move
        assert end.result == (1 if winner == 0 else -1)
        assert len(info.pv) <= 2 * abs(info.mate)
    assert won > 3


def test_the_tree_is_kept_between_moves() -> None:
    position = native.Position("uttt")
    searcher = native.BestFirst("uttt", net(), hash_mb=32)
    first = searcher.search(position, native.Limits(nodes=2000), native.StopFlag())
    for move in first.pv[:2]:
        position.play(move)
    searcher.search(position, native.Limits(nodes=1), native.StopFlag())
    assert sum(m.visits for m in searcher.root_moves()) > 10
    searcher.clear()
    searcher.search(position, native.Limits(nodes=1), native.StopFlag())
    assert sum(m.visits for m in searcher.root_moves()) == 0


def test_a_full_tree_ends_the_search() -> None:
    info = native.BestFirst("uttt", net(), hash_mb=1).search(
        native.Position("uttt"), native.Limits(nodes=10**9), native.StopFlag()
    )
    assert 1000 < info.nodes < 60_000
    assert info.best is not None


def several(threads: int, hash_mb: int = 32) -> native.BestFirst:
    return native.BestFirst("uttt", net(), hash_mb=hash_mb, threads=threads)


@pytest.mark.parametrize("threads", [2, 5])
def test_threads_share_one_tree(threads: int) -> None:
    """Every expansion counts once, and the root has the value of its best move, also when the tree is kept."""
    searcher, position = several(threads), native.Position("uttt")
    for nodes in (1, 2, 3000):
        searcher.clear()
        info = searcher.search(position, native.Limits(nodes=nodes), native.StopFlag())
        assert info.nodes == nodes
        assert sum(move.visits for move in searcher.root_moves()) == nodes - 1
    for _ in range(6):
        moves = searcher.root_moves()
        assert sorted(move.move for move in moves) == position.legal_moves()
        assert info.score == max(move.score for move in moves)
        for move in info.pv[:2]:
            position.play(move)
        info = searcher.search(position, native.Limits(nodes=3000), native.StopFlag())
        assert info.nodes == 3000


@pytest.mark.slow
def test_threads_prove_the_same() -> None:
    proven = 0
    for position in random_positions("uttt", 6 if SLOW else 20, seed=5):
        if position.result is not None or len(position.legal_moves()) * position.ply <= 300:
            continue
        one, other = (several(k).search(position, native.Limits(nodes=20_000), native.StopFlag()) for k in (1, 3))
        if all(info.proven_draw or info.mate is not None for info in (one, other)):
            proven += 1
            assert (one.score, one.proven_draw) == (other.score, other.proven_draw)
            end = position.copy()
            for move in other.pv:
                end.play(move)
            if other.mate is not None:
                winner = position.side_to_move if other.mate > 0 else 1 - position.side_to_move
                assert end.result == (1 if winner == 0 else -1)
    assert proven > 2


def test_a_tree_full_of_the_nodes_of_several_threads_ends_the_search() -> None:
    searcher = several(3, hash_mb=1)
    info = searcher.search(native.Position("uttt"), native.Limits(nodes=10**9), native.StopFlag())
    assert 1000 < info.nodes < 60_000
    assert searcher.size <= 2**20 / searcher.bytes_per_node
    assert info.best in native.Position("uttt").legal_moves()


def test_more_threads_than_work() -> None:
    """Near the end most threads find nothing to enter."""
    position = native.Position("uttt")
    while len(position.legal_moves()) * position.ply < 300 and position.result is None:
        position.play(position.legal_moves()[-1])
    info = several(256, hash_mb=1).search(position, native.Limits(nodes=500), native.StopFlag())
    assert 0 < info.nodes <= 500
    assert info.best in position.legal_moves()


@pytest.mark.parametrize("threads", [1, 3])
def test_stop_ends_all_threads_at_once(threads: int) -> None:
    searcher, stop = several(threads, hash_mb=1024), native.StopFlag()
    threading.Timer(0.1, stop.set).start()
    info = searcher.search(native.Position("uttt"), native.Limits(seconds=2 * PATIENCE), stop)
    assert info.seconds < PATIENCE  # milliseconds, on a machine that has nothing else to do
    assert info.best is not None


def test_an_exception_of_a_listener_ends_all_threads() -> None:
    def refuse(_: native.SearchInfo) -> None:
        raise KeyError("enough")

    searcher = several(3)
    with pytest.raises(KeyError, match="enough"):
        searcher.search(native.Position("uttt"), native.Limits(), native.StopFlag(), refuse)
    assert searcher.search(native.Position("uttt"), native.Limits(nodes=100), native.StopFlag()).nodes == 100


def test_a_network_that_fails_ends_all_threads() -> None:
    with serving("uttt", has_values("uttt"), heads=[("value", 1)]) as batcher:
        searcher = native.BestFirst("uttt", batcher, threads=3)
        assert searcher.search(native.Position("uttt"), native.Limits(nodes=50), native.StopFlag()).nodes == 50
        batcher.close()
        with pytest.raises(native.EvaluationError):
            searcher.search(native.Position("uttt"), native.Limits(nodes=50), native.StopFlag())
    assert searcher.root_moves() == []


@pytest.mark.parametrize("threads", [0, 257])
def test_too_many_or_too_few_threads_are_refused(threads: int) -> None:
    with pytest.raises(ValueError, match="threads"):
        several(threads)


def play(seed: int = 1, **changes: Any) -> native.DescentPlay:
    settings: dict[str, Any] = {
        "workers": 1, "expansions": 40, "mean_share": 0.4, "exploration": 0.3, "to_the_end": False, "replies": False,
        "greedy": 0.7, "opening_plies": 10, "opening_share": 0.5, "least_visits": 3, "proven_states": True,
        "result_share": 0.5, "expert_share": 0.0, "winners_only": False, "seed": seed,
    }  # fmt: skip
    return native.DescentPlay("uttt", **(settings | changes))


def states(player: native.DescentPlay, wanted: int = 3000, **nets: Any) -> tuple[native.DescentPlayStats, bytes]:
    samples = native.Samples("uttt", 100_000, "value")
    given: dict[str, Any] = {"net": net(), "experts": [], "opponent": None} | nets
    stats = player.play(given["net"], given["experts"], given["opponent"], wanted, samples)
    assert stats.samples == len(samples) == samples.added >= wanted
    values = samples.draw_patterns(1000, 1)[1]
    assert (np.abs(values) <= 1).all()
    return stats, samples.dump()


@pytest.mark.numbers
def test_the_same_seed_plays_the_same_games() -> None:
    assert states(play())[1] == states(play())[1] != states(play(seed=2))[1]
    assert states(play(workers=2))[1] == states(play(workers=2))[1]


def test_every_switch_of_selfplay_changes_the_samples() -> None:
    plain = states(play())[1]
    for change in (
        {"to_the_end": True}, {"replies": True}, {"greedy": 1.0}, {"proven_states": False}, {"result_share": 0.0},
        {"least_visits": 5},
    ):  # fmt: skip
        assert states(play(**change))[1] != plain, change
    assert states(play(expert_share=1.0))[1] == plain, "there is no expert"
    assert states(play(expert_share=0.5), experts=[net(1)])[1] != plain


def test_only_the_winners_states_of_two_versions_are_kept() -> None:
    both, _ = states(play(), opponent=net(1))
    assert 0 < both.wins + both.losses <= both.games
    assert both.wins + both.losses + both.draws == both.games
    winners, _ = states(play(winners_only=True), opponent=net(1))
    assert winners.samples / winners.expansions < 0.95 * both.samples / both.expansions


def test_a_descent_goes_to_an_end_of_the_game() -> None:
    """One iteration expands a whole line; no game of ultimate tic-tac-toe is shorter than 17 plies."""
    for to_the_end, least in ((True, 17 - 1), (False, 1)):
        searcher = native.BestFirst("uttt", net(), hash_mb=8, to_the_end=to_the_end)
        info = searcher.search(native.Position("uttt"), native.Limits(nodes=1), native.StopFlag())
        assert least <= info.nodes <= (81 if to_the_end else 1)
        assert sum(move.visits for move in searcher.root_moves()) == to_the_end


def test_moves_are_chosen_by_rank() -> None:
    """With greedy = 1 the best move is always played: the seed decides nothing but the opening."""
    greedy = {"greedy": 1.0, "opening_share": 0.0}
    assert states(play(1, **greedy))[1] == states(play(2, **greedy))[1]
    uniform = {"greedy": 0.0, "opening_share": 0.0}
    assert states(play(1, **uniform))[1] != states(play(2, **uniform))[1]


def test_the_loser_of_two_versions_leaves_no_sample() -> None:
    """A search of one expansion gives its root, and the state on the path besides."""
    changes: dict[str, Any] = {"expansions": 1, "proven_states": False, "result_share": 1.0, "greedy": 0.0}
    stats, _ = states(play(winners_only=True, **changes), wanted=500, opponent=net(1))
    both, _ = states(play(**changes), wanted=500, opponent=net(1))
    assert both.samples >= 2 * both.expansions
    assert stats.samples < 1.6 * stats.expansions


def test_searches_always_give_samples() -> None:
    stats, _ = states(play(least_visits=1000, proven_states=False, result_share=0.0), wanted=50)
    assert stats.samples >= 50


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"greedy": float("nan")}, "greedy"),
        ({"opening_plies": -1}, "opening_plies"),
        ({"expansions": 0}, "expansions"),
        ({"exploration": -1.0}, "exploration"),
        ({"mean_share": 2.0}, "mean_share"),
        ({"expert_share": -0.1}, "expert"),
    ],
)
def test_settings_out_of_range_are_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        play(**change)


def test_networks_of_selfplay_are_checked() -> None:
    with pytest.raises((TypeError, ValueError)):
        play().play(net(), [None], None, 10, native.Samples("uttt", 100, "value"))  # type: ignore[list-item]
    with pytest.raises(ValueError, match="expected samples of uttt"):
        play().play(net(), [], None, 10, native.Samples("uttt", 100, "policy-value"))
