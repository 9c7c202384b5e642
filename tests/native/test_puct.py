"""PUCT: proven results, the tree kept between moves, limits, the same tree beside other searches."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import product
from typing import Any

import msgspec
import numpy as np
import pytest

from fiedler import native
from fiedler.games import FILLED
from tests.native.evaluator import Floats, has_opinions, knows_nothing, policy_and_value, serving
from tests.native.positions import WINS_BY_THREATS, random_positions
from tests.patience import PATIENCE
from tools.connect4_sets import OUT, Line, after


@pytest.fixture(params=FILLED)
def game(request: pytest.FixtureRequest) -> str:
    """Every game with a policy."""
    return str(request.param)


def tree(game: str, batcher: native.Batcher, **options: Any) -> native.Puct:
    """A search with little memory, which is allocated at once."""
    return native.Puct(game, batcher, **{"hash_mb": 8, **options})


def search(searcher: native.Puct, position: native.Position, nodes: int) -> native.SearchInfo:
    return searcher.search(position, native.Limits(nodes=nodes), native.StopFlag())


def tactics(positions: int) -> dict[str, Any]:
    """All of them, or none."""
    return {"threats": positions, "solve": positions, "candidates": positions > 0}


def known(info: native.SearchInfo) -> tuple[Any, ...]:
    """The findings that do not depend on the clock."""
    return info.nodes, info.score, info.mate, info.proven_draw, tuple(info.pv), info.best


def test_a_search_is_the_same_alone_and_in_company(game: str) -> None:
    positions = [p for p in random_positions(game, 1, seed=4) if p.result is None][:6]

    def one(batcher: native.Batcher, position: native.Position) -> tuple[Any, ...]:
        searcher = tree(game, batcher)
        info = search(searcher, position, 700)
        return *known(info), [(m.move, m.visits, m.score, m.prior) for m in searcher.root_moves()]

    with serving(game, has_opinions(game)) as batcher:
        alone = [one(batcher, position) for position in positions]
        with ThreadPoolExecutor(len(positions)) as pool:
            together = list(pool.map(lambda position: one(batcher, position), positions))
    assert alone == together


def test_nodes_are_simulations(game: str) -> None:
    with serving(game, has_opinions(game)) as batcher:
        for nodes in (1, 2, 7, 8, 9, 100):
            info = search(tree(game, batcher), native.Position(game), nodes)
            assert info.nodes == nodes
            assert info.best in native.Position(game).legal_moves()


def test_visits_add_up(game: str) -> None:
    with serving(game, has_opinions(game)) as batcher:
        searcher = tree(game, batcher)
        search(searcher, native.Position(game), 300)
        moves = searcher.root_moves()
    assert sum(m.visits for m in moves) == 299  # the first simulation was the root's own
    assert sorted(m.move for m in moves) == native.Position(game).legal_moves()
    assert sum(m.prior or 0 for m in moves) == pytest.approx(1, abs=1e-5)
    assert [m.visits for m in moves] == sorted((m.visits for m in moves), reverse=True)
    assert all(0 <= m.score <= 1 for m in moves)


@pytest.mark.parametrize("game", sorted(WINS_BY_THREATS))
def test_a_win_by_threats_is_proven_at_once(game: str) -> None:
    positions = [p for p in random_positions(game, 30, seed=5) if p.result is None]
    won = [(p, found[0]) for p in positions if (found := native.forced_win(p, 4000)) and found[0] > 3]
    assert won
    with serving(game, knows_nothing(game)) as batcher:
        for position, plies in won[:10]:
            info = search(tree(game, batcher, threats=4000), position, 100)
            assert (info.nodes, info.score, info.mate) == (1, 1.0, (plies + 1) // 2)
            assert len(info.pv) <= plies
            end = position.copy()
            for move in info.pv:
                assert move in end.legal_moves()
                end.play(move)
            assert search(tree(game, batcher, **tactics(0)), position, 3).mate is None


def hidden_wins() -> list[tuple[native.Position, list[int]]]:
    """Positions of gomoku9 that more positions than those of a new node prove won, with the moves that led there."""
    found: list[tuple[native.Position, list[int]]] = []
    generator = random.Random(7)
    while len(found) < 4:
        position, moves = native.Position("gomoku9"), list[int]()
        while position.result is None and len(moves) < 20:
            moves.append(generator.choice(position.legal_moves()))
            position.play(moves[-1])
            if position.result is None and not native.forced_win(position, 900) and native.forced_win(position, 1000):
                found.append((position.copy(), list(moves)))
                break
    return found


def test_the_root_is_searched_by_threats_for_longer() -> None:
    with serving("gomoku9", knows_nothing("gomoku9")) as batcher:
        for position, _ in hidden_wins():
            info = search(tree("gomoku9", batcher, threats=900), position, 2000)
            assert info.mate is not None
            assert (info.nodes, info.mate > 0) == (1, True)
            assert search(tree("gomoku9", batcher, **tactics(0)), position, 40).mate is None


def test_a_node_is_searched_by_threats_again_as_its_visits_grow() -> None:
    """The network wants the move that loses; the tree finds out."""

    def wants(move: int) -> Callable[[Floats], tuple[Floats, Floats]]:
        def evaluate(planes: Floats) -> tuple[Floats, Floats]:
            logits = np.zeros((len(planes), 81), np.float32)
            logits[:, move] = 6
            return logits, np.zeros(len(planes), np.float32)

        return evaluate

    for _, moves in hidden_wins():
        before = native.Position("gomoku9")
        for move in moves[:-1]:
            before.play(move)
        with serving("gomoku9", wants(moves[-1])) as batcher:
            for threats in (900, 0):
                search(searcher := tree("gomoku9", batcher, **tactics(threats), batch=1), before, 200)
                one = next(one for one in searcher.root_moves() if one.move == moves[-1])
                assert (one.score == 0) == (threats > 0)


@pytest.mark.numbers
@pytest.mark.parametrize("game", sorted(WINS_BY_THREATS))
def test_every_move_of_a_lost_position_stays_in_the_search(game: str) -> None:
    """The root of a position that is lost by threats has moves, also after the winner's search of it."""
    positions = [p for p in random_positions(game, 30, seed=5) if p.result is None]
    with serving(game, knows_nothing(game)) as batcher:
        for position in [p for p in positions if native.forced_win(p, 4000)][:5]:
            searcher = tree(game, batcher, threats=4000)
            best = search(searcher, position, 100).best
            assert best is not None
            position.play(best)
            if position.result is None:
                info = search(searcher, position, 20)
                assert info.best in position.legal_moves()


@pytest.mark.numbers
@pytest.mark.parametrize("game", sorted(WINS_BY_THREATS))
def test_a_lost_position_is_defended_to_the_limit(game: str) -> None:
    """The network looks for a defence after the proof, but not in a search without a limit, which ends there."""
    positions = [p for p in random_positions(game, 30, seed=5) if p.result is None]
    defended = 0
    with serving(game, has_opinions(game)) as batcher:
        for position in [p for p in positions if (found := native.forced_win(p, 4000)) and found[0] > 5][:10]:
            best = search(tree(game, batcher, threats=4000), position, 1).best
            assert best is not None
            position.play(best)
            info = search(tree(game, batcher, threats=4000), position, 300)
            assert (info.best, info.pv[0]) == (info.pv[0], info.best)
            assert info.best in position.legal_moves()
            if info.mate is None:
                continue
            assert (info.mate < 0, info.score) == (True, 0.0)
            defended += info.nodes == 300
            endless = tree(game, batcher, threats=4000).search(position, native.Limits(), native.StopFlag())
            assert endless.mate is not None
            assert endless.nodes < 300
    assert defended


@pytest.mark.numbers
@pytest.mark.parametrize("game", ["cube", "gomoku9"])
def test_a_lost_position_is_lost_as_slowly_as_the_tree_knows(game: str) -> None:
    """Without a search by threats for the defence, the longest loss of the tree is played, and its end is reported."""
    lost = 0
    with serving(game, knows_nothing(game)) as batcher:
        for position in [p for p in random_positions(game, 30, seed=5) if p.result is None][::5]:
            searcher = tree(game, batcher, **tactics(0))
            info = search(searcher, position, 2000)
            if info.mate is None or info.mate > 0:
                continue
            lost += 1
            assert len(info.pv) == -2 * info.mate
            end = position.copy()
            for move in info.pv:
                end.play(move)
            assert end.result is not None
    assert lost


def test_nodes_of_connect4_are_solved() -> None:
    """Proven results are those of the exact sets, and a search with the solver proves many more of them."""
    lines = msgspec.json.Decoder(Line).decode_lines(OUT.read_bytes())
    late = [line for line in lines if len(line.moves) >= 20][::10]
    proofs = {0: 0, 900: 0}
    with serving("connect4", knows_nothing("connect4")) as batcher:
        for threats, line in product(proofs, late):
            searcher = tree("connect4", batcher, **tactics(threats))
            info = search(searcher, after(line.moves), 100)
            exact = max(score for score in line.scores if score is not None)
            if info.mate is None and not info.proven_draw:
                continue
            proofs[threats] += 1
            found = 0 if info.mate is None else 1 if info.mate > 0 else -1
            assert found == (exact > 0) - (exact < 0), line
            if found >= 0:
                assert info.best is not None
                score = line.scores[info.best]
                assert score is not None
                assert (score > 0) - (score < 0) == found, line
    assert proofs[900] > 2 * proofs[0]
    assert proofs[900] > 0.8 * len(late)


@pytest.mark.parametrize("candidates", [True, False])
def test_a_node_has_the_candidates_or_all_moves(candidates: bool) -> None:
    """Connect 4: a reply stops three in a column; the other tactics need no candidates."""
    position = after("ababa")
    with serving("connect4", knows_nothing("connect4")) as batcher:
        search(searcher := tree("connect4", batcher, candidates=candidates), position, 20)
    assert sorted(m.move for m in searcher.root_moves()) == ([0] if candidates else position.legal_moves())


@pytest.mark.numbers
def test_early_nodes_of_connect4_are_not_solved() -> None:
    """Before ply 14 few of these searches reach the end; a root is proven by the solver alone, in one simulation."""
    lines = msgspec.json.Decoder(Line).decode_lines(OUT.read_bytes())
    proven = dict.fromkeys((True, False), 0)
    with serving("connect4", knows_nothing("connect4")) as batcher:
        for line in lines:
            if (plies := len(line.moves)) in (10, 11, 12, 13, 14, 15, 16, 17):
                info = search(tree("connect4", batcher, solve=900), after(line.moves), 1)
                proven[plies < 14] += info.mate is not None
    assert proven[False]
    assert not proven[True]


def test_priors_and_values_lead_the_search() -> None:
    """A network that strongly prefers one move and rejects another."""

    def evaluate(planes: Floats) -> tuple[Floats, Floats]:
        policy = np.zeros((len(planes), 81), np.float32)
        policy[:, 40] = 8.0
        return policy, np.full(len(planes), 0.5, np.float32)

    with serving("uttt", evaluate) as batcher:
        searcher = tree("uttt", batcher)
        info = search(searcher, native.Position("uttt"), 20)
    assert info.best == 40
    assert (searcher.root_moves()[0].prior or 0) > 0.9


def test_the_score_is_the_side_to_moves() -> None:
    """Values favour the first player by a constant."""
    for first_player, expected in ((1.0, 0.95), (-1.0, 0.05)):

        def evaluate(planes: Floats, view: float = first_player) -> tuple[Floats, Floats]:
            first_to_move = planes[:, 0].sum(axis=(1, 2)) == planes[:, 1].sum(axis=(1, 2))
            values = np.where(first_to_move, view, -view).astype(np.float32) * np.float32(0.9)
            return np.zeros((len(planes), 81), np.float32), values

        with serving("uttt", evaluate) as batcher:
            info = search(tree("uttt", batcher), native.Position("uttt"), 50)
        assert info.score == pytest.approx(expected, abs=0.01)


def test_finds_and_proves_a_win_in_one(game: str) -> None:
    """Every position with an immediate win is proven without the network."""
    with serving(game, knows_nothing(game)) as batcher:
        found = 0
        for position in random_positions(game, 4, seed=6):
            wins = [move for move in position.legal_moves() if _wins(position, move)]
            if not wins:
                continue
            found += 1
            info = search(tree(game, batcher), position, 100)
            assert info.best in wins
            assert (info.mate, info.score, len(info.pv)) == (1, 1.0, 1)
        assert found


def _wins(position: native.Position, move: int) -> bool:
    after = position.copy()
    after.play(move)
    return after.result in (1, -1)


@pytest.mark.numbers
@pytest.mark.parametrize("seed", range(5))
def test_proofs_agree_with_alpha_beta(game: str, seed: int) -> None:
    positions = [p for p in random_positions(game, 1, seed=seed) if p.result is None][-8:]
    proofs = 0
    with serving(game, has_opinions(game)) as batcher:
        for position in positions:
            proven = search(tree(game, batcher, hash_mb=64), position, 10_000)
            exact = native.Negamax(game, hash_mb=8).search(position, native.Limits(nodes=1_000_000), native.StopFlag())
            proofs += proven.mate is not None or proven.proven_draw
            if proven.mate is not None:
                assert exact.mate is not None
                assert (exact.mate > 0) == (proven.mate > 0)
                assert proven.score == (proven.mate > 0)
            if proven.proven_draw:
                assert exact.proven_draw
    assert proofs


def test_a_proven_root_ends_the_search() -> None:
    position = native.Position("connect4", "O;......./......./......./......./..OO.../..XXX..")
    with serving("connect4", knows_nothing("connect4")) as batcher:
        info = search(tree("connect4", batcher), position, 100_000)
    assert (info.mate, info.score) == (-1, 0.0)
    assert info.nodes < 1000


def test_the_tree_is_kept_between_moves() -> None:
    with serving("uttt", has_opinions("uttt")) as batcher:
        searcher, position = tree("uttt", batcher), native.Position("uttt")
        info = search(searcher, position, 3000)
        assert info.best is not None
        position.play(info.best)
        search(searcher, position, 1)
        kept = searcher.size
        fresh = tree("uttt", batcher)
        search(fresh, position, 1)
        assert kept > 10 * fresh.size
        searcher.clear()
        search(searcher, position, 1)
        assert searcher.size == fresh.size


@pytest.mark.numbers
def test_same_history_same_tree(game: str) -> None:
    position = random_positions(game, 1, seed=1)[2]
    with serving(game, has_opinions(game)) as batcher:
        searcher = tree(game, batcher, seed=3)
        first = known(search(searcher, position, 500))
        search(searcher, native.Position(game), 500)
        searcher.clear()
        assert known(search(searcher, position, 500)) == first


def test_memory_stays_under_its_cap() -> None:
    with serving("uttt", knows_nothing("uttt")) as batcher:
        searcher = tree("uttt", batcher, hash_mb=1, batch=16)
        info = search(searcher, native.Position("uttt"), 30_000)
    assert info.nodes == 30_000
    assert 30_000 < searcher.size <= 2**20 / searcher.bytes_per_node


@pytest.mark.numbers
def test_temperature_draws_moves_by_their_visits() -> None:
    with serving("uttt", knows_nothing("uttt")) as batcher:
        searcher = tree("uttt", batcher, temperature=1.0, seed=1)
        moves = set()
        for seed in range(20):
            searcher.seed(seed)
            searcher.clear()
            info = search(searcher, native.Position("uttt"), 200)
            assert info.pv[0] == info.best
            moves.add(info.best)
        assert len(moves) > 5
        cold = tree("uttt", batcher, seed=1)
        assert len({search(cold, native.Position("uttt"), 200).best for _ in range(3)}) == 1


def test_stop_and_time_end_a_search() -> None:
    with serving("uttt", has_opinions("uttt")) as batcher:
        searcher, stop = tree("uttt", batcher, hash_mb=1), native.StopFlag()
        info = searcher.search(native.Position("uttt"), native.Limits(seconds=0.05), stop)
        assert 0.05 <= info.seconds < PATIENCE
        threading.Timer(0.05, stop.set).start()
        info = searcher.search(native.Position("uttt"), native.Limits(), stop)
        assert info.best is not None


def test_progress_is_reported() -> None:
    reports: list[native.SearchInfo] = []
    with serving("uttt", knows_nothing("uttt")) as batcher:
        searcher = tree("uttt", batcher)
        searcher.search(native.Position("uttt"), native.Limits(nodes=1000), native.StopFlag(), reports.append)
    nodes = [info.nodes for info in reports]
    assert nodes == sorted(set(nodes))
    assert 2 <= len(nodes) <= 6
    assert all(info.pv for info in reports)


def test_a_finished_game_has_no_move() -> None:
    position = native.Position("tictactoe", "O;XXX/OO./...")
    with serving("tictactoe", knows_nothing("tictactoe")) as batcher:
        info = search(tree("tictactoe", batcher), position, 10)
    assert (info.best, info.nodes, info.pv) == (None, 0, [])


def test_unfit_arguments_are_refused() -> None:
    batcher = native.Batcher("uttt", policy_and_value("uttt"), 4)
    with pytest.raises(ValueError, match="not made for connect4"):
        native.Puct("connect4", batcher)
    with pytest.raises(ValueError, match="batch: expected 1 to 128"):
        native.Puct("uttt", batcher, batch=0)
    with pytest.raises(ValueError, match="expected a position of uttt, got one of connect4"):
        search(native.Puct("uttt", batcher), native.Position("connect4"), 1)


def test_one_search_is_not_used_by_two_at_once() -> None:
    def again(_: native.SearchInfo) -> None:
        searcher.search(native.Position("uttt"), native.Limits(nodes=1), native.StopFlag())

    with serving("uttt", knows_nothing("uttt")) as batcher:
        searcher = tree("uttt", batcher)
        with pytest.raises(RuntimeError, match="one call at a time"):
            searcher.search(native.Position("uttt"), native.Limits(nodes=1000), native.StopFlag(), again)
        assert search(searcher, native.Position("uttt"), 100).nodes == 100


@pytest.mark.parametrize("threats", [0, 900])
@pytest.mark.parametrize("name", ["gomoku9", "renju15", "gomoku20", "connect4", "uttt"])
def test_a_narrow_search_has_the_likeliest_moves(name: str, threats: int) -> None:
    logits = np.random.default_rng(1).permutation(native.Position(name).num_actions).astype(np.float32)

    def evaluate(planes: Floats) -> tuple[Floats, Floats]:
        return np.tile(logits, (len(planes), 1)), np.zeros(len(planes), np.float32)

    with serving(name, evaluate) as batcher:
        for position in [p for p in random_positions(name, 2, seed=6) if p.result is None][:8]:
            narrow, wide = tree(name, batcher, **tactics(threats), width=3), tree(name, batcher, **tactics(threats))
            for searcher in (narrow, wide):
                search(searcher, position, 40)
            kept, every = ([m.move for m in searcher.root_moves()] for searcher in (narrow, wide))
            assert sorted(kept) == sorted(sorted(every, key=lambda move: -logits[move])[: len(kept)])
            assert len(kept) in (min(3, len(every)), len(every))


@pytest.mark.parametrize("threats", [0, 900])
def test_a_narrow_search_stops_a_threat(threats: int) -> None:
    """The network likes the one cell that stops the four least; it stays in the search."""
    position = native.Position("renju15")
    for move in ("h8", "g8", "i8", "c1", "j8", "e1", "k8"):
        position.play(position.parse_move(move))
    stop = position.parse_move("l8")

    def dislikes(planes: Floats) -> tuple[Floats, Floats]:
        logits = np.zeros((len(planes), position.num_actions), np.float32)
        logits[:, stop] = -20
        return logits, np.zeros(len(planes), np.float32)

    with serving("renju15", dislikes) as batcher:
        info = search(tree("renju15", batcher, **tactics(threats), width=1, c_puct=100.0), position, 600)
    assert info.best == stop


def test_a_position_is_not_lost_because_the_likeliest_moves_lose() -> None:
    """Tic-tac-toe: only the middle draws against a corner, and the network prefers the edges, which lose."""
    position = native.Position("tictactoe")
    position.play(position.parse_move("a1"))
    edges = [position.parse_move(name) for name in ("b1", "c2")]

    def prefers_edges(planes: Floats) -> tuple[Floats, Floats]:
        logits = np.zeros((len(planes), 9), np.float32)
        logits[:, edges] = 5
        return logits, np.zeros(len(planes), np.float32)

    with serving("tictactoe", prefers_edges) as batcher:
        narrow = tree("tictactoe", batcher, width=2)
        info = search(narrow, position, 5000)
        assert sorted(m.move for m in narrow.root_moves()) == sorted(edges)
        assert (info.mate, info.proven_draw) == (None, False)
        assert info.score < 0.05


@pytest.mark.parametrize("name", ["gomoku9", "renju15", "uttt"])
def test_rollouts_take_their_share_of_the_value(name: str) -> None:
    """One leaf, the root: its value is the mean of the network's and of the rollouts, which `rollouts` gives alone."""
    position = next(p for p in random_positions(name, 3, seed=8) if p.result is None and p.ply > 4)
    half = 0.5 * np.ones(1, np.float32)

    def evaluate(planes: Floats) -> tuple[Floats, Floats]:
        return np.zeros((len(planes), position.num_actions), np.float32), np.repeat(half, len(planes))

    def score(**options: float) -> float:
        with serving(name, evaluate) as batcher:
            return search(tree(name, batcher, **tactics(0), seed=3, **options), position, 1).score

    alone, both = score(rollouts=64), score(rollouts=64, rollout_share=0.25)
    assert score() == score(rollouts=64, rollout_share=0.0) == 0.75
    assert both == pytest.approx(0.75 * 0.75 + 0.25 * alone)
    many = native.rollouts(position, 20000, 1, "heuristic")
    mean = (many[0] - many[2]) / sum(many) * (1 if position.side_to_move == 0 else -1)
    assert 2 * alone - 1 == pytest.approx(mean, abs=0.45)
    assert alone == score(rollouts=64), "the same seed gives the same rollouts"
