"""Results that do not determine a rating: a warning each, and usable numbers."""

from __future__ import annotations

import json
import math
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fiedler.tournament.ratings import Rating, Results, analyse, fit_document, rate, relative_to, table
from fiedler.tournament.ratings.checks import hanging
from fiedler.tournament.ratings.intervals import Kind
from fiedler.tournament.ratings.pairs import Pairs
from tests.tournament.ratings.ratings_cases import results_of

BALANCED = ((0, 1, 2, 1, 1), (1, 0, 1, 1, 2))


def warned(rating: Rating, *words: str) -> bool:
    return any(all(word in warning for word in words) for warning in rating.warnings)


def test_ordinary_results_give_no_warning() -> None:
    assert rate(Results(("a", "b"), BALANCED)).warnings == ()
    assert rate(results_of("ring10")).warnings == ()
    assert rate(results_of("checkpoints100"), advantage="fit", draw_elo="fit").warnings == ()


def test_groups_that_never_met() -> None:
    rating = rate(Results(tuple("abcd"), (*BALANCED, (2, 3, 3, 1, 0))))
    assert warned(rating, "2 groups that never met", "'a', 'c'")
    by_name = {player.name: player for player in rating.players}
    assert by_name["a"].elo + by_name["b"].elo == pytest.approx(0, abs=1e-9)
    assert by_name["c"].elo + by_name["d"].elo == pytest.approx(0, abs=1e-9)
    assert all(math.isfinite(player.plus) for player in rating.players)


def test_perfect_scores_without_a_prior_stay_finite() -> None:
    rating = rate(results_of("perfect_scores"), prior=0)
    assert warned(rating, "prior 0.01 was used")
    assert warned(rating, "won every game", "'Ace'")
    assert warned(rating, "lost every game", "'Zero'")
    assert rating.players[0].name == "Ace"
    assert all(math.isfinite(player.elo) and math.isfinite(player.plus) for player in rating.players)


def test_a_group_that_lost_to_all_others_without_a_prior() -> None:
    """No player has a perfect score, but the difference between the two halves is infinite."""
    inner = [(0, 1, 1, 0, 1), (2, 3, 1, 0, 1)]
    rating = rate(Results(tuple("abcd"), (*inner, (0, 2, 2, 0, 0), (3, 1, 0, 0, 2))), prior=0)
    assert warned(rating, "without a prior some ratings would be infinite")
    assert not warned(rating, "won every game")


@pytest.mark.parametrize(
    "rows",
    [
        pytest.param(((0, 1, 0, 6, 0), (1, 0, 0, 6, 0)), id="all draws"),
        pytest.param(((0, 1, 1, 0, 0),), id="one game"),
        pytest.param(((0, 1, 3, 1, 0), (1, 2, 2, 2, 0)), id="a ladder without a step back"),
    ],
)
def test_draw_elo_without_a_maximum_is_held(rows: tuple[tuple[int, int, int, int, int], ...]) -> None:
    rating = rate(Results(tuple("abc"), rows), draw_elo="fit")
    assert warned(rating, "do not determine draw_elo", "97.3")
    assert rating.draw_elo == 97.3


@pytest.mark.parametrize(
    "rows",
    [
        pytest.param(((0, 1, 2, 1, 1), (1, 0, 1, 1, 2)), id="both colours"),
        pytest.param(((0, 1, 1, 1, 0), (1, 2, 1, 0, 0), (0, 2, 1, 0, 0)), id="two steps at once"),
        pytest.param(((0, 1, 2, 0, 0), (1, 2, 1, 0, 0), (2, 0, 1, 0, 0)), id="a circle of wins"),
    ],
)
def test_draw_elo_with_a_maximum_is_found(rows: tuple[tuple[int, int, int, int, int], ...]) -> None:
    """Also where no pairing was won by both sides: then only the whole of the results bounds it."""
    names = tuple("abc"[: max(max(row[:2]) for row in rows) + 1])
    rating = rate(Results(names, rows), draw_elo="fit")
    assert not warned(rating, "do not determine")
    nearby = [rate(Results(names, rows), draw_elo=rating.draw_elo * factor).log_likelihood for factor in (0.99, 1.01)]
    assert max(nearby) < rating.log_likelihood


def test_a_fit_without_any_draw_rests_on_the_prior() -> None:
    assert warned(rate(results_of("no_draws"), draw_elo="fit"), "virtual draws alone")
    assert warned(rate(results_of("no_draws"), draw_elo="fit", prior=0), "do not determine draw_elo")


def test_an_advantage_that_the_games_do_not_determine_is_held() -> None:
    """One player always moves first: without a prior, strength and advantage cannot be distinguished."""
    rating = rate(Results(("a", "b"), ((0, 1, 3, 1, 2),)), advantage="fit", prior=0)
    assert warned(rating, "do not determine the advantage", "32.8")
    assert rate(Results(("a", "b"), ((0, 1, 3, 1, 2),)), advantage="fit").warnings == ()


def test_a_single_connecting_pairing_gives_a_warning() -> None:
    triangle = [(0, 1, 1, 1, 1), (1, 2, 1, 1, 1), (2, 0, 1, 1, 1)]
    leaf = rate(Results(tuple("abcd"), (*triangle, (3, 0, 1, 0, 1))))
    assert next(w for w in leaf.warnings if "single pairing" in w).endswith("pairing: 'd'")
    far = rate(Results(tuple("abcdefg"), (*triangle, (3, 0, 1, 0, 1), (3, 4, 1, 0, 1), (4, 5, 1, 1, 1))))
    assert warned(far, "single pairing", "'d', 'e', 'f'")


def single_pairing(names: str, *pairs: str) -> str:
    """Return the players of the warning about single pairings; empty without one. A name is one letter."""
    rows = tuple((names.index(pair[0]), names.index(pair[1]), 1, 1, 1) for pair in pairs)
    warnings = rate(Results(tuple(names), rows)).warnings
    return next((warning.rpartition(": ")[2] for warning in warnings if "single pairing" in warning), "")


def test_every_single_pairing_has_its_players_named() -> None:
    assert single_pairing("abj", "ab", "bj") == single_pairing("baj", "ab", "bj") == "'a', 'j'", "both ends of a chain"
    assert single_pairing("abxyz", "ax", "xy", "yz", "zx", "bz") == "'a', 'b'", "one player at two sides of a triangle"
    assert single_pairing("abcxyz", "ab", "bx", "xy", "yz", "zx", "cy") == "'a', 'b', 'c'"
    assert single_pairing("abxyz", "ab", "xy", "yz", "zx") == "", "a group of two"


def test_games_against_oneself_are_left_out() -> None:
    rating = rate(Results(("a", "b", "hermit"), (*BALANCED, (0, 0, 5, 5, 5), (2, 2, 1, 0, 0))))
    assert warned(rating, "16 games", "'a', 'hermit'")
    assert warned(rating, "no games", "'hermit'")
    plain = rate(Results(("a", "b"), BALANCED))
    assert {p.name: p.elo for p in rating.players if p.name != "hermit"} == {p.name: p.elo for p in plain.players}
    hermit = next(player for player in rating.players if player.name == "hermit")
    assert math.isnan(hermit.elo)
    assert math.isnan(hermit.plus)
    assert hermit.games == 0
    assert np.isnan(rating.los()[[player.name for player in rating.players].index("hermit")]).all()
    assert "?" in next(line for line in table(rating).splitlines() if "hermit" in line)


@pytest.mark.parametrize("imitate", [False, True])
def test_a_player_without_games_is_last_and_has_no_number(imitate: bool) -> None:
    results = Results(("hermit", "a", "b"), ((1, 2, 8, 0, 2), (2, 1, 1, 0, 9)))
    rating = rate(results, imitate=imitate)
    assert [player.name for player in rating.players] == ["a", "b", "hermit"]
    assert table(rating).splitlines()[-1].split() == ["3", "hermit", "?", "?", "?", "0", "?", "?", "?"]
    assert warned(rating, "no games, so no rating: 'hermit'")
    assert rating.los()[0, 1] > 0.9
    assert [player.name for player in relative_to(rating, "b").players] == ["a", "b", "hermit"]


@pytest.mark.parametrize("imitate", [False, True])
@pytest.mark.parametrize("names", [(), ("only",)])
def test_no_players_to_rate(names: tuple[str, ...], imitate: bool) -> None:
    rating = rate(Results(names, ()), imitate=imitate, draw_elo="fit")
    assert [player.name for player in rating.players] == list(names)
    assert rating.los().shape == (len(names), len(names))
    assert table(rating).startswith("Rank Name")


def test_an_imitation_far_from_the_maximum_gives_a_warning() -> None:
    """A long chain of players is where the original's stop rule fails."""
    rows = tuple((player, player + 1, 60, 20, 40) for player in range(40))
    results = Results(tuple(f"p{number}" for number in range(41)), rows)
    imitation = rate(results, imitate=True)
    warning = next(warning for warning in imitation.warnings if "stopped early" in warning)
    by_name = {player.name: player.elo for player in rate(results).players}
    distance = max(abs(player.elo - by_name[player.name]) for player in imitation.players)
    assert distance > 1.5
    assert f"{distance:.1f} Elo off" in warning


@pytest.mark.parametrize("prior", [1e-6, 1e-3, 1000.0])
@pytest.mark.parametrize("name", ["perfect_scores", "one_game_players", "disconnected"])
def test_extreme_priors_converge(name: str, prior: float) -> None:
    rating = rate(results_of(name), prior=prior)
    assert not warned(rating, "did not converge")
    assert all(math.isfinite(player.elo) and player.plus > 0 for player in rating.players)


@pytest.mark.parametrize("intervals", ["covariance", "variance", "exact"])
@pytest.mark.parametrize(
    ("rows", "options"),
    [
        pytest.param(((0, 1, 0, 0, 10**6),), {"advantage": 1500.0, "draw_elo": 400.0}, id="what could not be happened"),
        pytest.param(((0, 1, 10**6, 0, 0),), {"model": "davidson", "prior": 1e-6, "advantage": "fit"}, id="rounding"),
        pytest.param(((0, 1, 2, 0, 0), (1, 2, 2, 0, 0)), {"prior": 1e-9}, id="next to no prior"),
        pytest.param(((0, 1, 3, 0, 0), (1, 2, 1, 1, 1)), {"advantage": -10_000.0, "draw_elo": 10_000.0}, id="the ends"),
        pytest.param(((0, 1, 3, 0, 0), (1, 2, 1, 1, 1)), {"anchors": {"a": -1e4, "b": 1e4}}, id="absurd anchors"),
    ],
)
def test_parameters_at_the_ends_of_their_range_are_accepted(
    rows: tuple[tuple[int, int, int, int, int], ...], options: dict[str, Any], intervals: Kind
) -> None:
    if "anchors" in options and intervals == "exact":
        intervals = "covariance"  # several anchors have no exact ones
    results = Results(tuple("abc"[: max(row[1] for row in rows) + 1]), rows)
    rating = rate(results, intervals=intervals, **options)
    assert not warned(rating, "did not converge")
    assert all(math.isfinite(player.elo) and not player.plus < 0 for player in rating.players)
    los = rating.los()[~np.eye(len(results.names), dtype=bool)]
    assert ((los >= 0) & (los <= 1)).all()
    json.dumps(fit_document(analyse(rating, results, 2.0)), allow_nan=False)


def smaller_side(graph: nx.Graph[int], bridge: tuple[int, int]) -> set[int]:
    """Return the players whom a bridge connects to the larger rest; of equal sides the one without the first player."""
    rest = graph.copy()
    rest.remove_edge(*bridge)
    one, other = sorted(
        (nx.node_connected_component(rest, end) for end in bridge), key=lambda side: (len(side), -min(side))
    )
    return set(one) if len(other) > 1 else set()


@settings(max_examples=200, deadline=None)
@given(st.sets(st.tuples(st.integers(0, 11), st.integers(0, 11)).filter(lambda pair: pair[0] < pair[1]), min_size=1))
def test_groups_and_bridges_are_those_of_a_graph_library(edges: set[tuple[int, int]]) -> None:
    results = Results(tuple("abcdefghijkl"), tuple((a, b, 1, 0, 0) for a, b in sorted(edges))).rateable()
    pairs = Pairs.of(results)
    graph: nx.Graph[int] = nx.Graph(zip(pairs.low.tolist(), pairs.high.tolist(), strict=True))

    def parts(labels: np.ndarray) -> set[frozenset[int]]:
        return {frozenset(np.flatnonzero(labels == label).tolist()) for label in set(labels.tolist())}

    assert parts(pairs.groups()) == set(map(frozenset, nx.connected_components(graph)))
    bridges = list(nx.bridges(graph))
    assert set(np.flatnonzero(hanging(pairs)).tolist()) == set().union(*(smaller_side(graph, one) for one in bridges))
