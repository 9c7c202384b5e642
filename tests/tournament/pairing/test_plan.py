"""The games of meetings: openings, colours, ids."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence

from hypothesis import given
from hypothesis import strategies as st

from fiedler.games.openings import Opening
from fiedler.tournament.game import PlannedGame, player_seed
from fiedler.tournament.pairing.plan import History, game_id, in_rounds, plan
from fiedler.tournament.schedule.pairs import Pair

NAMES = [f"p{number}" for number in range(9)]
PAIRS = list(itertools.combinations(NAMES, 2))
OPENINGS = [Opening(("a",)), Opening(("b",))]


def planned(
    meetings: Iterable[Pair],
    openings: Sequence[Opening] = OPENINGS,
    history: History | None = None,
    step: int = 1,
) -> list[PlannedGame]:
    return list(plan(meetings, lambda turn: openings[turn % len(openings)], 1, history or History(), step))


def test_each_opening_is_played_with_both_colours() -> None:
    games = planned([("x", "y")] * 2)
    assert [(game.first, game.second, game.opening, game.turn) for game in games] == [
        ("x", "y", ("a",), 0),
        ("y", "x", ("a",), 0),
        ("x", "y", ("b",), 1),
        ("y", "x", ("b",), 1),
    ]
    assert [game.number for game in games] == [1, 2, 3, 4]


def test_openings_are_repeated_in_order_with_other_ids() -> None:
    games = planned([("x", "y")] * 4)
    assert [game.opening[0] for game in games] == list("aabbaabb")
    assert len({game.id for game in games}) == 8


def test_every_pair_has_its_own_first_opening() -> None:
    openings = [Opening((letter,)) for letter in "abcde"]
    history = History()
    before = planned(PAIRS[:6], openings, history)
    assert "".join(game.opening[0] for game in before[::2]) == "abcdea"
    history.plan(before)
    after = planned([PAIRS[6], *[PAIRS[1]] * 5, PAIRS[0]], openings, history, step=2)
    assert "".join(game.opening[0] for game in after[::2]) == "bcdeabb"
    once = planned([*PAIRS[:7], *[PAIRS[1]] * 5, PAIRS[0]], openings)
    assert [game.opening for game in once] == [game.opening for game in (*before, *after)]


def test_later_steps_continue_the_turns_of_a_pair() -> None:
    history = History()
    before = planned(PAIRS[:20], history=history)
    history.plan(before)
    after = planned([*PAIRS[::-1], PAIRS[0]], history=history, step=2)
    history.plan(after)
    games = [*before, *after]
    assert len({game.id for game in games}) == 2 * (20 + len(PAIRS) + 1)
    assert [game.number for game in games] == list(range(1, len(games) + 1))
    turns = [(game.turn, game.step) for game in games if {game.first, game.second} == set(PAIRS[0])]
    assert turns == [(0, 1), (0, 1), (1, 2), (1, 2), (2, 2), (2, 2)]
    assert history.steps == 2


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
