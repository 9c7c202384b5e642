"""Trees kept between games: their counts, the same trees for the same seed, dumps, the bound of their memory."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from fiedler import native
from tests.native.positions import SLOW

ALL = 10**9
"""More nodes than any tree has."""
FEW = 10 if SLOW else 40


def trees(game: str, **options: Any) -> native.KeptTrees:
    return native.KeptTrees(game, **{"seed": 1, **options})


def lowest_key(position: native.Position) -> int:
    return min(position.transformed(symmetry).key for symmetry in range(position.num_symmetries))


def after(game: str, moves: str) -> native.Position:
    position = native.Position(game)
    for move in moves.split():
        position.play(position.parse_move(move))
    return position


def children(position: native.Position) -> dict[int, native.Position]:
    """The key of each move's node -> the position after it."""
    found = {}
    for move in position.legal_moves():
        child = position.copy()
        child.play(move)
        found[(lowest_key(position) * 0x9E3779B97F4A7C15 + lowest_key(child)) % 2**64] = child
    return found


def nodes(kept: native.KeptTrees, side: int) -> dict[int, tuple[int, int]]:
    """Key -> visits and sum of results, of one tree."""
    return {int(key): (int(n), int(sum_)) for key, n, sum_ in zip(*kept.most_visited(ALL)[side], strict=True)}


@pytest.mark.parametrize("rollout", ["random", "heuristic"])
def test_counts(game: str, rollout: str) -> None:
    kept = trees(game, rollout=rollout)
    first, second = kept.play(FEW), kept.play(FEW)
    both = [nodes(kept, side) for side in (0, 1)]
    assert kept.episodes == first.episodes + second.episodes == 2 * FEW
    assert kept.sizes == tuple(map(len, both))
    assert 0 < sum(kept.sizes) <= kept.episodes
    assert all(abs(results) <= visits for side in both for visits, results in side.values())
    assert sum(visits for side in both for visits, _ in side.values()) == first.tree_plies + second.tree_plies
    opening = [both[0].get(key, (0, 0)) for key in children(native.Position(game))]
    assert sum(visits for visits, _ in opening) == kept.episodes
    wins, draws = first.first_wins + second.first_wins, first.draws + second.draws
    assert sum(results for _, results in opening) == wins - (kept.episodes - wins - draws)


def test_a_node_is_known_before_its_children() -> None:
    """The moves of both trees together are one search tree, without gaps."""
    kept = trees("connect4")
    kept.play(2000)
    both = [nodes(kept, side) for side in (0, 1)]

    def reached(position: native.Position) -> set[tuple[int, int]]:
        side, found = position.side_to_move, set()
        for key, child in children(position).items():
            if key in both[side]:
                found |= {(side, key)} | reached(child)
        return found

    assert len(reached(native.Position("connect4"))) == sum(kept.sizes)


def test_symmetric_moves_are_one_node() -> None:
    kept = trees("connect4")
    kept.play(4)
    assert kept.sizes[0] + kept.sizes[1] == 4
    kept.play(2000)
    assert len(children(native.Position("connect4")).keys() & nodes(kept, 0).keys()) == 4


@pytest.mark.numbers
def test_both_learners_find_the_only_moves() -> None:
    """Tic-tac-toe: a corner is answered in the centre; two in a row win or are stopped."""
    kept = trees("tictactoe", c=4.0)
    kept.play(20_000)
    both = [nodes(kept, side) for side in (0, 1)]
    for line, best in (("a1", "b2"), ("a1 b1 b2", "c3"), ("a1 b2 c3", "b1 a2 b3 c2"), ("a1 b1 a2 b2", "a3")):
        position = after("tictactoe", line)
        known = both[position.side_to_move]
        visits = {lowest_key(child): known.get(key, (0, 0))[0] for key, child in children(position).items()}
        assert max(visits, key=visits.__getitem__) in {
            lowest_key(after("tictactoe", f"{line} {b}")) for b in best.split()
        }


@pytest.mark.numbers
def test_the_same_seed_gives_the_same_trees(game: str) -> None:
    one, same, other = trees(game), trees(game), trees(game, seed=2)
    for kept, calls in ((one, (FEW,)), (same, (0, FEW // 3, FEW - FEW // 3)), (other, (FEW,))):
        for episodes in calls:
            kept.play(episodes)
    assert one.dump() == same.dump() != other.dump()


def test_a_loaded_dump_continues_as_if_never_stopped(game: str) -> None:
    whole, half, again = trees(game), trees(game), trees(game)
    whole.play(2 * FEW)
    half.play(FEW)
    again.play(3)  # forgotten
    again.load(half.dump())
    assert again.dump() == half.dump()
    again.play(FEW)
    assert again.dump() == whole.dump()


def test_a_damaged_dump_is_refused() -> None:
    kept = trees("connect4")
    kept.play(100)
    dump = kept.dump()
    fresh = trees("connect4")
    flipped = [bytearray(dump) for _ in range(0, len(dump), 97)]
    for place, one in enumerate(flipped):
        one[97 * place] ^= 1
    for damaged in (b"", dump[:20], dump[:-1], dump[:-16], dump + b"x", dump + bytes(16), *map(bytes, flipped)):
        with pytest.raises(ValueError, match="trees: the dump is"):
            fresh.load(damaged)
    with pytest.raises(ValueError, match="damaged, or of another game"):
        trees("tictactoe").load(dump)
    assert (fresh.episodes, fresh.sizes) == (0, (0, 0))


def test_the_most_visited_nodes_come_by_ascending_key() -> None:
    kept = trees("connect4")
    kept.play(500)
    whole, some = kept.most_visited(ALL), kept.most_visited(50)
    assert sum(len(keys) for keys, _, _ in some) == 50
    assert all(int(a) < int(b) for keys, _, _ in some for a, b in pairwise(keys))
    all_visits, most = (np.concatenate([visits for _, visits, _ in found]) for found in (whole, some))
    assert sorted(most) == sorted(all_visits)[-50:]
    for side in (0, 1):
        assert dict(zip(*some[side][:2], strict=True)).items() <= dict(zip(*whole[side][:2], strict=True)).items()
    assert [len(array) for side in kept.most_visited(0) for array in side] == [0] * 6


@pytest.mark.skipif(SLOW, reason="needs a quarter of a million episodes")
@pytest.mark.slow
def test_full_trees_stop_growing_and_learn_on() -> None:
    small, large = (trees("connect4", hash_mb=hash_mb, c=3.0) for hash_mb in (4, 96))
    stats = [kept.play(250_000) for kept in (small, large)]
    assert small.memory_bytes == 4 << 20
    assert max(small.sizes) == 3 << 15
    assert 4 << 20 < large.memory_bytes < 48 * sum(large.sizes)
    for kept, played in zip((small, large), stats, strict=True):
        assert sum(visits for side in (0, 1) for visits, _ in nodes(kept, side).values()) == played.tree_plies
    with pytest.raises(ValueError, match="the dump has more nodes than the memory allows"):
        small.load(large.dump())
    assert small.episodes == 250_000


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"c": -1.0}, "c: expected"),
        ({"c": float("nan")}, "c: expected"),
        ({"rollout": "wild"}, "rollout"),
        ({"hash_mb": 0}, "hash_mb"),
    ],
)
def test_settings_out_of_range_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        trees("connect4", **options)


def test_more_episodes_than_a_node_can_count_are_refused() -> None:
    kept = trees("tictactoe")
    kept.play(1)
    with pytest.raises(ValueError, match="episodes: expected at most 2147483647 in all"):
        kept.play(2**31 - 1)
    assert kept.episodes == 1
