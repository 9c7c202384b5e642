"""Pairs × openings × colours."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from tournament.plan import game_id, in_rounds, plan, player_seed, with_colours

NAMES = [f"p{number}" for number in range(9)]
PAIRS = list(itertools.combinations(NAMES, 2))
OPENINGS = [("a",), ("b",)]


def test_each_opening_is_played_with_both_colours() -> None:
    games = plan([("x", "y")], OPENINGS, 4, 1)
    assert [(game.first, game.second, game.opening) for game in games] == [
        ("x", "y", ("a",)),
        ("y", "x", ("a",)),
        ("x", "y", ("b",)),
        ("y", "x", ("b",)),
    ]
    assert [game.number for game in games] == [1, 2, 3, 4]


def test_openings_are_used_again_in_order_with_other_ids() -> None:
    games = plan([("x", "y")], OPENINGS, 8, 1)
    assert [game.opening[0] for game in games] == list("aabbaabb")
    assert len({game.id for game in games}) == 8


@given(st.integers(1, len(PAIRS) * 6))
def test_every_prefix_is_balanced_across_pairs(length: int) -> None:
    played = [frozenset((game.first, game.second)) for game in plan(PAIRS, OPENINGS, 6, 1)[:length]]
    counts = [played.count(frozenset(pair)) for pair in PAIRS]
    assert max(counts) - min(counts) <= 1


def test_added_players_and_games_change_no_id_and_no_number() -> None:
    before = plan(PAIRS[:20], OPENINGS, 4, 1)
    after = plan(PAIRS, OPENINGS, 6, 1, before)
    assert after[: len(before)] == before
    assert len({game.id for game in after}) == len(PAIRS) * 6
    assert [game.number for game in after] == list(range(1, len(after) + 1))
    assert {game.id for game in after} == {game.id for game in plan(PAIRS[::-1], OPENINGS, 6, 1)} | {
        game.id for game in after
    }


def test_id_depends_on_seed_names_colours_and_turn() -> None:
    ids = {game_id(1, "a", "b", 0), game_id(2, "a", "b", 0), game_id(1, "b", "a", 0), game_id(1, "a", "b", 1)}
    assert len(ids) == 4
    assert game_id(1, "a", "b", 0) == "3c08b39bc0de9455", "ids are stored: they never change"


def test_player_seeds_differ_by_side_and_fit_every_engine() -> None:
    seeds = {player_seed(1, game, side) for game in ("g", "h") for side in (0, 1)}
    assert len(seeds) == 4
    assert all(0 <= seed < 2**31 for seed in seeds)


@given(st.permutations(PAIRS))
def test_rounds_keep_all_pairs_and_spread_players(pairs: list[tuple[str, str]]) -> None:
    ordered = list(in_rounds(pairs))
    assert sorted(ordered) == sorted(pairs)
    first = [name for pair in ordered[:3] for name in pair]
    assert len(set(first)) == 6


@given(st.integers(1, len(PAIRS)))
def test_colours_of_the_first_games_are_balanced(length: int) -> None:
    firsts = [pair[0] for pair in with_colours(PAIRS)][:length]
    seconds = [pair[1] for pair in with_colours(PAIRS)][:length]
    assert all(abs(firsts.count(name) - seconds.count(name)) <= 2 for name in NAMES)


def test_fixed_pairs_keep_their_colours() -> None:
    assert list(with_colours([("b", "a"), ("a", "b")], fixed=1)) == [("b", "a"), ("a", "b")]
