"""UCT: proven results, the tree kept between moves, the memory cap, the same tree for the same seed."""

from __future__ import annotations

import os
import threading
from pathlib import Path

import pytest

from fiedler import native
from fiedler.games import FILLED
from tests.native.positions import LONG, SLOW, WINS_BY_THREATS, random_positions, some_positions
from tests.patience import PATIENCE


def tree(game: str, **options: float | str) -> native.Mcts:
    return native.Mcts(game, **{"hash_mb": 16, **options})  # type: ignore[arg-type]


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


@pytest.mark.parametrize("threads", [1, 2])
def test_the_root_shows_its_moves(game: str, threads: int) -> None:
    searcher, position = tree(game, threads=threads, seed=3), native.Position(game)
    assert searcher.root_moves() == []
    info = search(searcher, position, 2000)
    moves = searcher.root_moves()
    assert moves[0].move == info.best
    assert sorted(one.move for one in moves) == position.legal_moves()
    visits = [one.visits for one in moves]
    assert visits == sorted(visits, reverse=True)
    at_root = 2 * threads  # simulations that end there
    assert info.proven_draw or sum(visits) in range(info.nodes - at_root, info.nodes + 1)
    assert moves[0].score == info.score
    assert all(0 <= one.score <= 1 and one.prior is None for one in moves)


def test_a_proven_move_at_the_root_has_its_exact_score() -> None:
    position = native.Position("connect4")
    for move in "dcdcdc":
        position.play(position.parse_move(move))
    searcher = tree("connect4")
    search(searcher, position, 10_000)
    scores = {position.move_text(one.move): one.score for one in searcher.root_moves()}
    assert scores["d"] == 1.0


def test_without_its_solver_nothing_is_proven() -> None:
    position = native.Position("connect4")
    for move in "dcdcdc":
        position.play(position.parse_move(move))
    info = search(tree("connect4", solver=False), position, 3000)
    assert position.move_text(info.pv[0]) == "d"
    assert (info.mate, info.nodes) == (None, 3000)
    assert 0.9 < info.score <= 1.0


@pytest.mark.parametrize("seed", [1, 2])
def test_without_its_solver_every_position_has_a_legal_move(game: str, seed: int) -> None:
    for position in random_positions(game, 1, seed=seed)[:: 10 if game in LONG else 1]:
        if position.result is None:
            info = search(tree(game, solver=False, seed=seed), position, 40)
            assert info.best in position.legal_moves()
            assert (info.mate, info.proven_draw) == (None, False)


def test_proves_a_lost_game() -> None:
    # X has two open ends and wins against every reply.
    position = native.Position("connect4", "O;......./......./......./......./..OO.../..XXX..")  # a, f complete it
    info = search(tree("connect4"), position, 100_000)
    assert (info.mate, info.score) == (-1, 0.0)


@pytest.mark.numbers
@pytest.mark.parametrize(("seed", "threads"), [(0, 1), (1, 1), (2, 1), (3, 3), (4, 3)])
def test_proofs_agree_with_alpha_beta(game: str, seed: int, threads: int) -> None:
    last, nodes = (2, 2_000) if game in LONG else (8, 20_000)
    positions = [p for p in random_positions(game, 1, seed=seed) if p.result is None][-last:]
    for position in positions:
        proven = search(tree(game, threads=threads), position, nodes)
        limits = native.Limits(nodes=50_000 if game in LONG else 1_000_000)
        exact = native.Negamax(game, hash_mb=8).search(position, limits, native.StopFlag())
        if proven.mate is not None:
            assert not exact.proven_draw
            if exact.mate is not None:
                assert (exact.mate > 0) == (proven.mate > 0)
        if proven.proven_draw:
            assert exact.mate is None
        if game in WINS_BY_THREATS:  # there negamax takes a win as it comes, and leaves moves out that might save it
            continue
        if proven.mate is not None:
            assert exact.mate is not None
            assert proven.mate < 0 or proven.mate >= exact.mate  # a losing side need not hold out as long as it can
        if proven.proven_draw:
            assert exact.proven_draw


@pytest.mark.numbers
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
    assert searcher.size <= 4 + 4


def test_an_unrelated_position_starts_a_new_tree() -> None:
    searcher = tree("uttt")
    search(searcher, native.Position("uttt"), 5_000)
    position = random_positions("uttt", 1, seed=2)[10]
    search(searcher, position, 1)
    assert searcher.size <= 4 + 4


def test_memory_stays_under_its_cap() -> None:
    searcher = tree("connect4", hash_mb=1)
    search(searcher, native.Position("connect4"), 300_000)
    assert searcher.bytes_per_node == 16
    assert 60_000 < searcher.size <= 2**20 / searcher.bytes_per_node


def resident(what: str) -> int:
    """Memory of this process in bytes: VmRSS now, VmHWM at most since `clear_refs`."""
    lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(what))


@pytest.mark.skipif(SLOW, reason="sanitizers keep memory of their own")
@pytest.mark.skipif(not os.access("/proc/self/clear_refs", os.W_OK), reason="the system does not report the peak")
@pytest.mark.parametrize("threads", [1, 2])
def test_the_cap_holds_while_a_subtree_is_kept(threads: int) -> None:
    cap, slack = 2**26, 2**21  # a huge page
    position = native.Position("connect4")
    before = resident("VmRSS")
    searcher = tree("connect4", hash_mb=cap >> 20, threads=threads)
    best = None
    while searcher.size < 0.98 * cap / 16.2:
        best = search(searcher, position, 200_000).best
    Path("/proc/self/clear_refs").write_text("5", encoding="utf-8")
    assert best is not None
    position.play(best)
    full = searcher.size
    search(searcher, position, 1)
    assert full > searcher.size > full / 20
    assert resident("VmHWM") - before <= cap + slack


def test_a_kept_subtree_is_the_same_tree() -> None:
    """The statistics of a position do not change when it becomes the root."""
    for game, nodes in (("connect4", 30_000), ("uttt", 30_000), ("tictactoe", 60)):
        searcher, position = tree(game), native.Position(game)
        line = search(searcher, position, nodes).pv
        for move in line[:2]:
            position.play(move)
        kept = search(searcher, position, 1)
        assert kept.pv[: len(line) - 3] == line[2:-1] or len(line) < 4
        before = searcher.size
        search(searcher, position, 500)
        assert before < searcher.size <= before + 500 * 8


def test_a_simulation_costs_about_two_slots() -> None:
    """Children are made one by one: 81 moves a node, and yet one new node a simulation."""
    searcher = tree("uttt")
    search(searcher, native.Position("uttt"), 50_000)
    assert searcher.size < 2.5 * 50_000


@pytest.mark.numbers
@pytest.mark.parametrize("game", FILLED)
def test_mates_are_the_trees_own_and_true(game: str) -> None:
    """A proven win is one, and is not claimed in fewer moves than negamax needs, where it is exact."""
    proven = 0
    for position in some_positions(game, 3, seed=9):
        if position.result is not None:
            continue
        info = search(tree(game), position, 3_000)
        if info.mate is None:
            continue
        proven += 1
        exact = native.Negamax(game, hash_mb=8).search(position, native.Limits(nodes=200_000), native.StopFlag())
        if exact.mate is not None:
            assert (exact.mate > 0) == (info.mate > 0)
            assert game in WINS_BY_THREATS or abs(info.mate) >= abs(exact.mate)
    assert proven


def test_threads_share_nodes_and_memory(game: str) -> None:
    for position in random_positions(game, 1, seed=5)[:8:3]:
        searcher = tree(game, threads=2, hash_mb=1)
        info = search(searcher, position, 5_000)
        assert info.nodes <= 5_000
        assert info.nodes == 5_000 or info.mate is not None or info.proven_draw or position.result is not None
        assert searcher.size <= 2**20 / searcher.bytes_per_node
        for move in info.pv:
            position.play(move)


def test_simulations_of_all_threads_count_once() -> None:
    """The statistics of the root are sums over the trees, also when a search continues in them."""
    searcher, position = tree("uttt", threads=3), native.Position("uttt")
    for searches in (1, 2, 3):
        assert search(searcher, position, 3_000).nodes == 3_000
        visits = sum(one.visits for one in searcher.root_moves())
        assert 3_000 * searches - 3 * searches <= visits <= 3_000 * searches


def test_more_threads_than_memory_for_their_trees() -> None:
    searcher, position = tree("gomoku20", threads=256, hash_mb=1), native.Position("gomoku20")
    assert search(searcher, position, 5_000).best in position.legal_moves()
    assert searcher.size <= 2**20 / searcher.bytes_per_node


def test_threads_prove_the_same() -> None:
    won = native.Position("connect4")
    for move in "dcdcdc":
        won.play(won.parse_move(move))
    lost = native.Position("connect4", "O;......./......./......./......./..OO.../..XXX..")
    drawn = native.Position("tictactoe")
    for move in "b2", "a1", "b1", "b3":
        drawn.play(drawn.parse_move(move))
    for threads in (1, 2, 4):
        assert search(tree("connect4", threads=threads), won, 10_000).mate == 1
        assert search(tree("connect4", threads=threads), lost, 100_000).mate == -1
        assert search(tree("tictactoe", threads=threads), drawn, 100_000).proven_draw


@pytest.mark.parametrize("threads", [1, 3])
def test_stop_ends_all_threads_at_once(threads: int) -> None:
    searcher, stop = tree("uttt", threads=threads, leaf_rollouts=16, rollout="heuristic"), native.StopFlag()
    threading.Timer(0.1, stop.set).start()
    info = searcher.search(native.Position("uttt"), native.Limits(seconds=2 * PATIENCE), stop)
    assert info.seconds < PATIENCE  # milliseconds, on a machine that has nothing else to do
    assert info.best is not None


def test_an_exception_of_a_listener_ends_all_threads() -> None:
    def refuse(_: native.SearchInfo) -> None:
        raise KeyError("enough")

    searcher = tree("uttt", threads=3)
    with pytest.raises(KeyError, match="enough"):
        searcher.search(native.Position("uttt"), native.Limits(), native.StopFlag(), refuse)
    assert search(searcher, native.Position("uttt"), 100).nodes == 100


def test_first_play_urgency_leaves_moves_untried() -> None:
    """With a low urgency a good first try is followed up; with a high one all 81 moves come first."""
    position = native.Position("uttt")
    assert search(tree("uttt"), position, 81).depth == 1
    assert search(tree("uttt", fpu=-1.0), position, 81).depth > 2


@pytest.mark.parametrize(("game", "moves"), [("uttt", 81), ("gomoku20", 400)])
def test_every_move_is_tried_once_before_any_twice(game: str, moves: int) -> None:
    searcher = tree(game)
    assert search(searcher, native.Position(game), moves).depth == 1
    assert search(searcher, native.Position(game), 1).depth == 2


@pytest.mark.parametrize("rollout", ["random", "heuristic"])
def test_sixteen_rollouts_a_simulation(game: str, rollout: str) -> None:
    position = native.Position(game)
    nodes = max(400, (5 if SLOW else 25) * len(position.legal_moves()))  # some for every move
    wide, single = (search(tree(game, leaf_rollouts=n, rollout=rollout), position, nodes) for n in (16, 1))
    assert wide.nodes == nodes or wide.proven_draw
    assert 0 <= wide.score <= 1
    if not (SLOW and game in LONG):  # five rollouts a move say too little in a long game
        assert wide.score == pytest.approx(single.score, abs=0.25)
    with pytest.raises(ValueError, match="leaf_rollouts: expected 1 to 16"):
        tree(game, leaf_rollouts=17)


def test_the_line_can_be_played(game: str) -> None:
    for position in random_positions(game, 2, seed=3)[:: 50 if game in LONG else 5]:
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


@pytest.mark.numbers
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


@pytest.mark.numbers
@pytest.mark.parametrize("leaf_rollouts", [2, 15, 16])
def test_several_rollouts_per_leaf_agree_with_one(leaf_rollouts: int) -> None:
    one, several = (
        search(tree("uttt", leaf_rollouts=count, seed=1), native.Position("uttt"), 4_000)
        for count in (1, leaf_rollouts)
    )
    assert abs(one.score - several.score) < 0.1


@pytest.mark.parametrize("options", [{"fpu": float("nan")}, {"fpu": float("-inf")}, {"c": float("nan")}])
def test_numbers_that_are_none_are_refused(options: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="expected"):
        native.Mcts("uttt", **options)  # type: ignore[arg-type]


DRAWN = (
    "a5 b5 e6 e8 f6 i7 g3 a7 a1 c3 h9 e7 d3 b7 f2 g5 a6 b9 d9 a9 a8 c4 h3 d8 c5 h4 e3 f8 h6 i5 h5 e4 e1 e2 e5 f4 g2 a4 "
    "b2 d5 c6 h7 f1 h1 d1 b3 c7 i3 i8 i4 g1 b1 i6 g7 c1 c2 g6 c8 b8 f5 d4 a3"
)


@pytest.mark.parametrize("seed", range(8))
def test_draw_of_a_few_positions_is_proven_in_games_of_many_moves(seed: int) -> None:
    """A node whose moves are all proven is proven, too, for any order of its moves."""
    position = native.Position("uttt")
    for move in DRAWN.split():
        position.play(position.parse_move(move))
    info = search(tree("uttt", seed=seed), position, 1000)
    assert info.proven_draw
    assert info.nodes < 50
