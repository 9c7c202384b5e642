"""The order of play: every prefix is a good design, and no player gets far ahead."""

from __future__ import annotations

import itertools

import networkx as nx
import numpy as np
import pytest

from fiedler.tournament.graph import design
from fiedler.tournament.graph.information import expected
from fiedler.tournament.graph.order import ordered
from fiedler.tournament.graph.problem import Ints
from fiedler.tournament.graph.spectrum import Array, Edge, laplacian, rms_error


def prefix_rms(edges: Ints, order: list[int], information: Array, share: float) -> float:
    first = edges[order[: int(share * len(order))]]
    games = np.zeros_like(information)
    np.add.at(games, (first[:, 0], first[:, 1]), 2.0)
    return rms_error(laplacian((games + games.T) * information))


def ahead(players: int, edges: Ints, order: list[int]) -> Array:
    """Games of each player ahead of its share of the games so far, after each unit of two: (t, players)."""
    played = np.zeros((len(order) + 1, players))
    for place, edge in enumerate(order):
        played[place + 1] = played[place]
        played[place + 1, edges[edge]] += 2
    share: Array = np.arange(len(order) + 1)[:, None] / len(order) * played[-1]
    return played - share


def regular(players: int, degree: int) -> list[Edge]:
    return [(min(edge), max(edge)) for edge in nx.random_regular_graph(degree, players, seed=1).edges]


def test_prefixes_are_good_and_balanced() -> None:
    elo = np.linspace(0, 1000, 40)
    information = expected(elo, np.zeros(40))
    made = design(40, games=4000, criterion="precision", elo=elo.tolist())
    edges = np.array(made.edges)
    order = ordered(40, made.edges, made.games, 2, information)
    assert np.array_equal(np.bincount(order, minlength=len(edges)) * 2, made.games)
    assert ahead(40, edges, order).max() < 2.0 + 1e-9
    shuffled = np.random.default_rng(0).permutation(order).tolist()
    for share, most in ((0.1, 1.1), (0.3, 1.03)):
        whole = made.rms / np.sqrt(share)
        assert prefix_rms(edges, order, information, share) < most * whole
        assert prefix_rms(edges, order, information, share) < prefix_rms(edges, shuffled, information, share)


@pytest.mark.parametrize(
    ("players", "edges", "games"),
    [
        (9, list(itertools.combinations(range(9), 2)), 2),
        (28, regular(28, 3), 10),
        (50, regular(50, 5), 2),
        (60, regular(60, 3), 2),
        (100, regular(100, 4), 10),
        (31, [*regular(30, 3), (0, 30), (7, 30), (9, 30)], 4),
        (22, [(i, j) for i in (0, 1) for j in range(2, 22)], 2),
    ],
)
def test_no_player_is_more_than_one_unit_ahead(players: int, edges: list[Edge], games: int) -> None:
    order = ordered(players, edges, [games] * len(edges), 2)
    assert np.array_equal(np.bincount(order), [games // 2] * len(edges))
    assert ahead(players, np.array(edges), order).max() < 2.0 + 1e-9


def test_players_of_equal_shares_are_at_most_one_unit_apart_if_the_graph_allows_it() -> None:
    for players, edges in ((8, list(itertools.combinations(range(8), 2))), (20, regular(20, 4))):
        assert np.ptp(ahead(players, np.array(edges), ordered(players, edges, [2] * len(edges), 2)), axis=1).max() < 2.1
    petersen = design(10, 15).edges  # no three perfect matchings
    assert np.ptp(ahead(10, np.array(petersen), ordered(10, petersen, [2] * 15, 2)), axis=1).max() < 4.1


def test_the_same_arguments_give_the_same_order() -> None:
    made = design(12, 30)
    assert ordered(12, made.edges, [6] * 30, 2) == ordered(12, made.edges, [6] * 30, 2)


def test_pairs_with_earlier_games_come_last() -> None:
    edges = [(0, 1), (1, 2), (2, 3), (0, 3)]
    assert ordered(4, edges, [2] * 4, 2, 1e-5, played=[(0, 1, 50), (2, 3, 50)])[0] in (1, 3)


def test_an_odd_game_takes_a_whole_unit_and_no_games_take_none() -> None:
    assert sorted(ordered(3, [(0, 1), (1, 2), (0, 2)], [3, 0, 1], 2)) == [0, 0, 2]
    assert ordered(3, [], [], 2) == []


def test_many_players_are_ordered_by_their_shares() -> None:
    players = 3000
    edges = [(i, (i + k) % players) for i in range(players) for k in (1, 2, 3)]
    edges = [(min(edge), max(edge)) for edge in edges]
    order = ordered(players, edges, [2] * len(edges), 2)
    assert sorted(order) == list(range(len(edges)))
    assert np.abs(ahead(players, np.array(edges), order)).max() <= 8.0


@pytest.mark.parametrize(
    ("edges", "games", "unit"),
    [([(0, 5)], [2], 2), ([(1, 1)], [2], 2), ([(0, 1)], [-2], 2), ([(0, 1)], [2, 2], 2), ([(0, 1)], [2], 0)],
)
def test_invalid_arguments_are_refused(edges: list[tuple[int, int]], games: list[int], unit: int) -> None:
    with pytest.raises(ValueError, match="expected"):
        ordered(5, edges, games, unit)
