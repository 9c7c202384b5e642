"""Alpha-beta: exact where the game is solved, reproducible, stoppable."""

from __future__ import annotations

import threading
from typing import Any

import pytest

from fiedler import native
from tests.native.incremental import net
from tests.native.positions import LONG, SLOW, WINS_BY_THREATS, after, load, random_positions
from tests.patience import PATIENCE


def search(position: native.Position, **limits: float) -> native.SearchInfo:
    return native.Negamax(position.game, hash_mb=8).search(position, native.Limits(**limits), native.StopFlag())  # type: ignore[arg-type]


def solve(position: native.Position, seen: dict[int, int]) -> int:
    """The value for the side to move by plain recursion: 1, 0, -1."""
    if position.result is not None:
        return position.result * (1 if position.side_to_move == 0 else -1)
    if position.key not in seen:
        children = []
        for move in position.legal_moves():
            child = position.copy()
            child.play(move)
            children.append(-solve(child, seen))
        seen[position.key] = max(children)
    return seen[position.key]


def test_solves_every_position_of_tictactoe() -> None:
    seen: dict[int, int] = {}
    for position in random_positions("tictactoe", 40, seed=1):
        if position.result is not None:
            continue
        info = search(position)
        value = solve(position, seen)
        assert info.proven_draw == (value == 0)
        assert info.score == (value + 1) / 2
        assert (info.mate is None) == (value == 0)


def mate_by_recursion(position: native.Position, seen: dict[int, tuple[int, int]]) -> tuple[int, int]:
    """The value for the side to move and the plies to the end, quick wins and long losses preferred."""
    if position.result is not None:
        return position.result * (1 if position.side_to_move == 0 else -1), 0
    if position.key not in seen:
        outcomes = []
        for move in position.legal_moves():
            child = position.copy()
            child.play(move)
            value, plies = mate_by_recursion(child, seen)
            outcomes.append((-value, plies + 1))
        seen[position.key] = max(outcomes, key=lambda outcome: (outcome[0], -outcome[0] * outcome[1]))
    return seen[position.key]


def careful_positions(game: str, seed: int) -> list[native.Position]:
    """The running positions of a game of the bot osp against itself."""
    position, seen = native.Position(game), []
    while position.result is None:
        seen.append(position.copy())
        position.play(native.choose_osp(position, 1000 * seed + position.ply))
    return seen


def late_positions(game: str) -> list[native.Position]:
    """Running positions whose whole tree is small."""
    if game == "connect4":
        rows = [row["moves"] for row in load("connect4_scores")["positions"]]
        return [after(game, moves) for moves in rows if len(moves) >= 32]
    if game == "cube":  # random games end too soon
        return [position for seed in range(150) for position in careful_positions(game, seed) if position.ply >= 56]
    running = [position for position in random_positions(game, 60, seed=5) if position.result is None]
    return [position for position in running if game == "tictactoe" or bushiness(position) < 3000][:120]


def bushiness(position: native.Position) -> int:
    """The most paths of any length up to nine, or of up to four where those are many."""
    few = max(native.perft(position, 4))
    return max(native.perft(position, 9)) if few < 200 else 10**6


@pytest.mark.numbers
@pytest.mark.parametrize("game", ["tictactoe", "connect4", "uttt", "uttt-majority", "cube"])
def test_mates_are_the_shortest(game: str) -> None:
    """Against plain recursion, with a table that already holds other searches. Wins by threats may be longer."""
    searcher = native.Negamax(game, hash_mb=8)
    positions = late_positions(game)
    assert len(positions) > 20
    for position in positions:
        value, plies = mate_by_recursion(position, {})
        info = searcher.search(position, native.Limits(), native.StopFlag())
        shortest = value * ((plies + 1) // 2) if value else None
        if shortest and info.mate and game in WINS_BY_THREATS:
            assert info.mate / shortest >= 1
        else:
            assert info.mate == shortest
        assert info.proven_draw == (value == 0)


@pytest.mark.parametrize("game", ["uttt", "uttt-majority"])
def test_results_with_a_network_are_proven(game: str) -> None:
    """Against plain recursion. Late moves are searched less deep, so a mate need not be the shortest."""
    searcher = native.Negamax(game, hash_mb=8, network=net(game=game))
    for position in late_positions(game)[: 10 if SLOW else 60]:
        value, plies = mate_by_recursion(position, {})
        info = searcher.search(position, native.Limits(), native.StopFlag())
        assert info.proven_draw == (value == 0)
        if value:
            assert info.mate is not None
            assert info.mate / (value * ((plies + 1) // 2)) >= 1


def best_value(position: native.Position, network: native.PatternNet) -> float:
    """The expected score of the best move, by the rules or the values of the positions after them."""
    found = []
    for move in position.legal_moves():
        after_move = position.copy()
        after_move.play(move)
        if after_move.result is not None:
            found.append((1 + after_move.result * (1 if position.side_to_move == 0 else -1)) / 2)
        elif search(after_move, depth=1).mate == 1:
            found.append(0.0)
        else:
            found.append((1 - network.value(after_move)) / 2)
    return max(found)


@pytest.mark.slow
def test_a_network_evaluates_the_leaves() -> None:
    network = net()
    searcher = native.Negamax("uttt", hash_mb=1, network=network)
    running = [p for p in random_positions("uttt", 3 if SLOW else 20, seed=4) if p.result is None]
    for position in running:
        info = searcher.search(position, native.Limits(depth=1), native.StopFlag())
        assert info.score == pytest.approx(best_value(position, network), abs=1e-4)
        searcher.clear()


def test_searches_with_a_network_repeat() -> None:
    for position in random_positions("uttt", 1, seed=8)[:20]:
        if position.result is not None:
            continue

        def run(at: native.Position = position) -> tuple[Any, ...]:
            searcher = native.Negamax("uttt", hash_mb=1, network=net())
            info = searcher.search(at, native.Limits(nodes=700), native.StopFlag())
            return info.nodes, info.depth, info.score, tuple(info.pv)

        first = run()
        assert first[0] <= 700
        assert first == run()


def test_a_network_of_another_game_is_refused() -> None:
    with pytest.raises(ValueError, match="not made for connect4"):
        native.Negamax("connect4", network=net())


def connect4_mate(row: dict[str, Any]) -> int | None:
    """The mate of a published score: 22 - stones of the winner at the end."""
    stones, score = len(row["moves"]), row["score"]
    own = 22 - abs(score) - (stones // 2 if score > 0 else (stones + 1) // 2)
    return None if score == 0 else own if score > 0 else -own


@pytest.mark.parametrize("stones", range(14 if SLOW else 8, 38))
@pytest.mark.slow
def test_connect4_is_solved(stones: int) -> None:
    """Wins in the fewest moves, against the published solver's scores; the line continues to the end of the game."""
    searcher = native.Negamax("connect4", hash_mb=32)
    for row in load("connect4_scores")["positions"]:
        if len(row["moves"]) != stones:
            continue
        position, score = after("connect4", row["moves"]), row["score"]
        info = searcher.search(position, native.Limits(), native.StopFlag())
        assert (info.mate, info.proven_draw) == (connect4_mate(row), score == 0)
        assert info.best is not None
        assert row["scores"][info.best] == score
        if info.mate == -1:
            continue  # any move
        for move in info.pv:
            position.play(move)
        assert position.result is not None
        assert len(info.pv) == (42 - stones if score == 0 else 2 * abs(info.mate or 0) - (score > 0))


def test_mate_distance_and_line() -> None:
    position = native.Position("connect4")
    for move in "dcdcd":
        position.play(position.parse_move(move))
    info = search(position, depth=4)
    assert position.move_text(info.pv[0]) == "d"
    position.play(position.parse_move("c"))
    info = search(position)
    assert (info.mate, position.move_text(info.pv[0]), info.score) == (1, "d", 1.0)


def test_the_line_can_be_played(game: str) -> None:
    step, depth = (70, 2) if game in LONG else (7, 5)
    for position in random_positions(game, 2, seed=2)[::step]:
        info = search(position, depth=depth)
        if position.result is not None:
            assert (info.best, info.pv) == (None, [])
            continue
        assert info.pv[0] == info.best
        for move in info.pv:
            position.play(move)


@pytest.mark.numbers
def test_same_limits_same_tree(game: str) -> None:
    position = random_positions(game, 1, seed=3)[2]
    runs = [search(position, nodes=20_000) for _ in range(2)]
    assert len({(run.nodes, run.depth, run.score, tuple(run.pv)) for run in runs}) == 1
    searcher = native.Negamax(game, hash_mb=8)
    for _ in range(2):
        searcher.clear()
        again = searcher.search(position, native.Limits(nodes=20_000), native.StopFlag())
        assert (again.nodes, again.pv) == (runs[0].nodes, runs[0].pv)


@pytest.mark.numbers
def test_node_signature() -> None:
    """The signature of the search: a change of behaviour must be intended, and its commit must state it."""
    nodes = [
        search(native.Position(game), depth=depth).nodes
        for game, depth in (("tictactoe", 9), ("connect4", 10), ("uttt", 6))
    ]
    assert nodes == SIGNATURE


SIGNATURE = [5120, 29853, 28898]


@pytest.mark.parametrize("threads", [2, 5])
def test_threads_find_the_same_results(threads: int) -> None:
    """Proven results do not depend on the thread that finds them first."""
    searcher = native.Negamax("connect4", hash_mb=8, threads=threads)
    for row in load("connect4_scores")["positions"][-120::10]:
        position = after("connect4", row["moves"])
        info = searcher.search(position, native.Limits(), native.StopFlag())
        alone = search(position)
        assert (info.mate, info.proven_draw) == (alone.mate, alone.proven_draw)


@pytest.mark.parametrize("threads", [1, 2, 5])
@pytest.mark.parametrize("nodes", [1, 3, 1000, 100_000])
def test_threads_spend_the_nodes_together(threads: int, nodes: int) -> None:
    searcher = native.Negamax("uttt", hash_mb=8, threads=threads)
    spent = searcher.search(native.Position("uttt"), native.Limits(nodes=nodes), native.StopFlag()).nodes
    assert max(1, 0.9 * nodes - threads) <= spent <= nodes


def test_all_threads_search_without_a_limit_of_nodes() -> None:
    """If only the first thread worked, it would search the same tree as alone."""
    nodes = [
        native.Negamax("uttt", threads=threads)
        .search(native.Position("uttt"), native.Limits(depth=8 if SLOW else 10), native.StopFlag())
        .nodes
        for threads in (1, 2)
    ]
    assert nodes[0] != nodes[1]


def test_limits_bind(game: str) -> None:
    position = random_positions(game, 1, seed=4)[1]
    assert search(position, nodes=100).nodes <= 100
    assert search(position, depth=2).depth <= 2


@pytest.mark.parametrize("threads", [1, 3])
def test_stop_flag_ends_the_search_at_once(threads: int) -> None:
    flag = native.StopFlag()
    searcher = native.Negamax("uttt", threads=threads)
    position = native.Position("uttt")
    threading.Timer(0.05, flag.set).start()
    info = searcher.search(position, native.Limits(seconds=2 * PATIENCE), flag)
    assert info.seconds < PATIENCE
    assert info.best is not None


def test_infos_deepen_one_by_one() -> None:
    depths: list[int] = []
    native.Negamax("connect4").search(
        native.Position("connect4"), native.Limits(depth=6), native.StopFlag(), lambda info: depths.append(info.depth)
    )
    assert depths == [1, 2, 3, 4, 5, 6]


def test_a_position_of_another_game_is_refused() -> None:
    with pytest.raises(ValueError, match="expected a position of uttt"):
        native.Negamax("uttt").search(native.Position("connect4"), native.Limits(depth=1), native.StopFlag())


def test_an_exception_in_the_listener_surfaces() -> None:
    def fail(info: native.SearchInfo) -> None:
        raise RuntimeError("no more")

    with pytest.raises(RuntimeError, match="no more"):
        native.Negamax("uttt").search(native.Position("uttt"), native.Limits(depth=5), native.StopFlag(), fail)


@pytest.mark.parametrize("nodes", [387, 438])
def test_no_loss_is_claimed_while_moves_are_left_to_look_at(nodes: int) -> None:
    position = native.Position(
        "uttt",
        "O;.O@..X.O.;OXX.X..../..OOXOXXO/.X..OO.OO/.X...O.XX/OXX..OXOO/XOX.XOX../OO..OXO../.OXXO.XO./.XX..X.XO",
    )
    assert search(position).mate == 4
    info = search(position, nodes=nodes)
    assert info.mate is None
    assert info.best is not None
    assert position.move_text(info.best) != "g8"  # the move that has just turned out to lose


def test_old_entries_of_the_table_do_not_make_a_win_longer() -> None:
    position = native.Position(
        "uttt",
        "X;.....X..@;OOXX.XOO./X....XXX./...OO...O/X.X.XO.../.O.O.O.XO/X...XXOOX/OO.OX.X.O/X...XOXOO/O.X..O.XX",
    )
    reused = native.Negamax("uttt", hash_mb=64)
    for move in ("h2", "d6", "b8", "d4", "c2"):
        info = reused.search(position, native.Limits(), native.StopFlag())
        assert info.mate == search(position).mate
        position.play(position.parse_move(move))


@pytest.mark.parametrize("kind", [native.Negamax, native.Mcts])
def test_a_second_call_during_a_search_is_refused(kind: type[native.Negamax | native.Mcts]) -> None:
    engine, position, stop = kind("uttt"), native.Position("uttt"), native.StopFlag()
    reported = threading.Event()
    running = threading.Thread(target=engine.search, args=(position, native.Limits(), stop, lambda _: reported.set()))
    running.start()
    try:
        assert reported.wait(PATIENCE)
        position.play(40)  # the search has a copy
        for call in (engine.clear, lambda: engine.search(position, native.Limits(nodes=1), stop)):
            with pytest.raises(RuntimeError, match="in use"):
                call()
    finally:
        stop.set()
        running.join()
    engine.clear()


@pytest.mark.parametrize("hash_mb", [0, 65536, 2**50])
@pytest.mark.parametrize("kind", [native.Negamax, native.Mcts])
def test_memory_beyond_32_bits_of_nodes_is_refused(kind: type[native.Negamax | native.Mcts], hash_mb: int) -> None:
    with pytest.raises(ValueError, match="hash_mb: expected 1 to 65535"):
        kind("uttt", hash_mb=hash_mb)


@pytest.mark.parametrize("game", ["cube", "gomoku9", "renju15"])
def test_the_same_search_after_clear_and_beside_others(game: str) -> None:
    """The memory of searches by threats does not change the findings of later ones."""
    positions = [position for position in random_positions(game, 2, seed=8) if 6 <= position.ply <= 12][::3]
    searcher = native.Negamax(game, hash_mb=4)

    def searched() -> list[tuple[int, int, list[int]]]:
        searcher.clear()
        found = [searcher.search(position, native.Limits(nodes=2_000), native.StopFlag()) for position in positions]
        return [(info.nodes, info.depth, info.pv) for info in found]

    once = searched()
    native.Negamax(game).search(positions[0], native.Limits(nodes=1_000), native.StopFlag())
    assert searched() == once


@pytest.mark.numbers
@pytest.mark.parametrize("seed", range(4))
def test_a_lost_cube_is_played_on_against_a_fallible_opponent(seed: int) -> None:
    """hsp does not find the win by threes, 24 moves away."""
    position = native.Position("cube")
    for move in ("2c2", "4a4", "2c3", "1d4", "2c4", "2c1", "3c3"):
        position.play(position.parse_move(move))
    searcher = native.Negamax("cube", hash_mb=8)
    info = searcher.search(position, native.Limits(nodes=100_000), native.StopFlag())
    assert info.mate is not None
    assert info.mate < 0
    while position.result is None:
        if position.side_to_move == 0:
            position.play(native.choose_hsp(position, seed))
        else:
            info = searcher.search(position, native.Limits(nodes=100_000), native.StopFlag())
            assert info.best is not None
            position.play(info.best)
    assert position.result == -1


def test_a_win_at_once_is_seen_however_little_time_there_is() -> None:
    position = native.Position("tictactoe")
    for move in ("c3", "a3", "c2", "a2"):
        position.play(position.parse_move(move))
    info = native.Negamax("tictactoe").search(position, native.Limits(seconds=1e-9), native.StopFlag())
    assert (info.best, info.mate) == (position.parse_move("c1"), 1)
