from __future__ import annotations

import json

import pytest

from fiedler.engine.commands.speed import (
    POSITIONS,
    Bench,
    Budget,
    bench_player,
    bench_positions,
    bench_rollouts,
    bench_table,
)
from fiedler.games import GAMES, game
from fiedler.players import create
from fiedler.support.errors import UsageError
from tests.engine.engine_process import engine
from tests.native.positions import data_of

KEYS = [
    "game",
    "player",
    "nodes",
    "seconds",
    "nps",
    "bytes_per_node",
    "mean_batch",
    "evals_per_second",
    "network_per_second",
    "signature",
]


def of_player(
    name: str, game_id: str = "uttt", budget: Budget | None = None, threads: int = 1, **options: str
) -> Bench:
    return bench_player(create(game(game_id), name, options), budget or Budget(), threads)


@pytest.mark.parametrize("game_id", GAMES)
def test_the_positions_are_fixed_and_running(game_id: str) -> None:
    positions = bench_positions(game(game_id))
    assert len(positions) == POSITIONS
    assert positions[0] == game(game_id).position()
    assert all(position.result is None for position in positions)
    assert positions == bench_positions(game(game_id))
    assert positions[-1].ply > positions[1].ply


@pytest.mark.parametrize("player", ["negamax", "mcts", "random"])
def test_the_signature_is_the_same_every_time(player: str) -> None:
    first, second = (of_player(player, budget=Budget(nodes=4000)) for _ in range(2))
    assert first.signature == second.signature
    assert first.signature is not None


@pytest.mark.parametrize("game_id", GAMES)
def test_negamax_searches_the_tree_that_is_written_down(game_id: str) -> None:
    """A change of the search must be intended, and its commit must state it."""
    assert of_player("negamax", game_id, Budget(nodes=8000)).signature == data_of(game_id)["signature"]


def test_another_search_has_another_signature() -> None:
    shallow, deep = of_player("negamax", depth="3"), of_player("negamax", depth="4")
    assert shallow.nodes < deep.nodes
    assert shallow.signature != deep.signature


def test_threads_search_side_by_side() -> None:
    one, two = of_player("mcts", budget=Budget(nodes=800)), of_player("mcts", budget=Budget(nodes=800), threads=2)
    assert two.nodes == 2 * one.nodes
    assert two.signature == one.signature


@pytest.mark.parametrize("player", ["mcts", "osp"])
def test_a_measurement_by_time_has_no_signature(player: str) -> None:
    bench = of_player(player, budget=Budget(seconds=0.1))
    assert bench.signature is None
    assert bench.nodes > 0
    assert bench.seconds < 10.0
    assert bench.nps == pytest.approx(bench.nodes / bench.seconds)


@pytest.mark.parametrize("player", ["mcts", "negamax", "osp", "rollouts"])
def test_the_first_limit_ends_it(player: str) -> None:
    def counted(nodes: int, seconds: float) -> int:
        budget = Budget(nodes, seconds)
        rolled = player == "rollouts"
        return (bench_rollouts(game("uttt"), {}, budget, 1) if rolled else of_player(player, budget=budget)).nodes

    assert counted(800, 60.0) <= 800
    assert 0 < counted(10**12, 0.1) < 10**9


def test_sessions_that_cannot_fit_are_refused_before_they_take_anything(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("fiedler.engine.commands.speed.machine_share_mb", lambda: 100)
    why = "hash_mb: expected at most 100 MiB for all threads together, .*; got 2 times 64"
    with pytest.raises(UsageError, match=why):
        of_player("mcts", budget=Budget(nodes=10), threads=2)
    assert of_player("mcts", budget=Budget(nodes=80)).nodes == 80


def test_one_position_alone() -> None:
    connect4 = game("connect4")
    factory = create(connect4, "mcts", {})
    start = bench_player(factory, Budget(nodes=500), 1, connect4.position())
    assert start.nodes == 500
    after = connect4.position(moves=["d"])
    assert bench_player(factory, Budget(nodes=500), 1, after).signature != start.signature


def test_threads_that_share_a_tree_leave_no_signature() -> None:
    assert bench_player(create(game("uttt"), "mcts", {"threads": "2"}), Budget(nodes=500), 1).signature is None


def test_inapplicable_figures_are_none() -> None:
    bench = of_player("mcts", budget=Budget(nodes=100))
    assert bench.bytes_per_node == 16
    assert (bench.mean_batch, bench.evals_per_second, bench.network_per_second) == (None, None, None)


def test_a_network_is_measured_alone_too() -> None:
    factory = create(game("uttt"), "checkpoint", {"batch": "4"})
    try:
        bench = bench_player(factory, Budget(nodes=200), 1)
    finally:
        factory.close()
    assert bench.mean_batch is not None
    assert 1 < bench.mean_batch <= 4
    assert bench.evals_per_second is not None
    assert bench.network_per_second is not None
    assert min(bench.evals_per_second, bench.network_per_second) > 0


def test_rollouts_are_counted() -> None:
    assert bench_rollouts(game("connect4"), {}, Budget(nodes=2500), 1).nodes == 2500
    assert bench_rollouts(game("connect4"), {"rollout": "heuristic"}, Budget(nodes=500), 2).nodes == 1000
    assert bench_rollouts(game("uttt"), {}, Budget(seconds=0.05), 1).nodes > 0
    assert bench_rollouts(game("uttt"), {"side_by_side": "16"}, Budget(nodes=100), 1).nodes == 100


@pytest.mark.parametrize(
    ("game_id", "values", "why"),
    [
        ("uttt", {"side_by_side": "5"}, "expected 1 or 16, got 5"),
        ("cube", {"side_by_side": "16"}, "cube has no rollouts side by side"),
        ("uttt", {"side_by_side": "16", "rollout": "heuristic"}, "only random rollouts"),
    ],
)
def test_rollouts_side_by_side_that_a_game_does_not_have(game_id: str, values: dict[str, str], why: str) -> None:
    with pytest.raises(UsageError, match=f"--set side_by_side: .*{why}"):
        bench_rollouts(game(game_id), values, Budget(nodes=10), 1)


def test_a_readable_table() -> None:
    bench = Bench("uttt", "checkpoint", 100, 0.5, 200.0, 24, 12.34, 198.0, 400.0, 100)
    assert bench_table(bench).splitlines() == [
        "checkpoint on uttt",
        "100 nodes in 0.500 s: 200 a second",
        "24 bytes a node",
        "198 evaluations a second, 12.3 in a batch",
        "400 by the network alone: the search reaches 0.49 of it",
        "signature 100",
    ]


@pytest.mark.parametrize("player", ["mcts", "rollouts"])
def test_bench_as_json(player: str) -> None:
    done = engine("bench", "--game", "uttt", "--player", player, "--nodes", "400", "--json")
    document = json.loads(done.stdout)
    assert list(document) == KEYS
    assert (document["game"], document["player"], document["nodes"]) == ("uttt", player, 400)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("game_id", GAMES)
def test_perft_as_json(game_id: str) -> None:
    expected = [row["paths"] for row in data_of(game_id)["perft"] if row["paths"] < 1_000_000]
    done = engine("perft", "--game", game_id, "--depth", str(len(expected)), "--json")
    document = json.loads(done.stdout)
    assert list(document) == ["game", "depth", "nodes", "seconds"]
    assert document["nodes"] == expected


def test_perft_of_a_position_as_text() -> None:
    done = engine("perft", "--game", "tictactoe", "--depth", "2", "--position", "startpos moves b2")
    assert [line.split() for line in done.stdout.splitlines()[:2]] == [["1", "8"], ["2", "56"]]
