"""Eigenvalues against closed forms and networkx, information against the outcome probabilities."""

from __future__ import annotations

import math

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from fiedler.tournament.graph import information
from fiedler.tournament.graph.spectrum import (
    adjacency,
    components,
    connected,
    lambda2,
    laplacian,
    mean_free_trace,
    rms_error,
)
from tests.tournament.graph.kirchhoff import kirchhoff_index

CLOSED_FORMS = [
    (nx.path_graph(9), 2 - 2 * math.cos(math.pi / 9)),
    (nx.cycle_graph(11), 2 - 2 * math.cos(2 * math.pi / 11)),
    (nx.complete_graph(7), 7.0),
    (nx.star_graph(8), 1.0),
    (nx.complete_bipartite_graph(3, 8), 3.0),
    (nx.petersen_graph(), 2.0),
    (nx.hypercube_graph(4), 2.0),
    (nx.disjoint_union(nx.path_graph(3), nx.path_graph(4)), 0.0),
]


@pytest.mark.parametrize(("graph", "value"), CLOSED_FORMS)
def test_closed_forms(graph: nx.Graph, value: float) -> None:
    graph = nx.convert_node_labels_to_integers(graph)
    matrix = laplacian(adjacency(len(graph), graph.edges))
    assert lambda2(matrix) == pytest.approx(value, abs=1e-9)
    assert connected(len(graph), graph.edges) == (value > 0)
    assert components(len(graph), graph.edges) == nx.number_connected_components(graph)


@given(st.integers(2, 12), st.floats(0.1, 0.9), st.integers(0, 999))
@settings(max_examples=50, deadline=None)
def test_agrees_with_networkx(players: int, density: float, seed: int) -> None:
    graph = nx.gnp_random_graph(players, density, seed=seed)
    matrix = laplacian(adjacency(players, graph.edges))
    assert np.array_equal(matrix, nx.laplacian_matrix(graph).toarray())
    assert lambda2(matrix) == pytest.approx(sorted(nx.laplacian_spectrum(graph))[1], abs=1e-8)
    assert components(players, graph.edges) == nx.number_connected_components(graph)


def test_trace_of_the_pseudo_inverse_is_the_kirchhoff_index() -> None:
    graph = nx.petersen_graph()
    matrix = laplacian(adjacency(10, graph.edges))
    assert mean_free_trace(matrix) == pytest.approx(kirchhoff_index(graph) / 10)
    assert mean_free_trace(matrix) == pytest.approx(np.trace(np.linalg.pinv(matrix)))


def test_error_of_two_players_follows_from_the_information_of_their_games() -> None:
    per_game = information.equal_strength()
    matrix = laplacian(100 * per_game * adjacency(2, [(0, 1)]))
    # each is half the difference from the mean, and the difference has variance 1 / information
    assert rms_error(matrix) == pytest.approx(0.5 / math.sqrt(100 * per_game))
    assert math.isinf(rms_error(laplacian(adjacency(3, [(0, 1)]))))


def _probabilities(difference: float) -> tuple[float, float, float]:
    win = 1 / (1 + 10 ** ((-difference - 32.8 + 97.3) / 400))
    loss = 1 / (1 + 10 ** ((difference + 32.8 + 97.3) / 400))
    return win, 1 - win - loss, loss


@pytest.mark.parametrize("difference", [-700.0, -100.0, 0.0, 33.0, 250.0, 1500.0])
def test_information_is_the_curvature_of_the_bayes_elo_likelihood(difference: float) -> None:
    step, total = 1e-3, 0.0
    for d in (difference, -difference):
        for before, here, after in zip(*(_probabilities(d + k * step) for k in (-1, 0, 1)), strict=True):
            total += ((after - before) / (2 * step)) ** 2 / here
    assert information.fisher(np.array([difference]))[0] == pytest.approx(total / 2, rel=1e-5)


def test_information_is_even_and_greatest_between_equals() -> None:
    ladder = information.fisher(np.array([0.0, 100.0, 200.0, 400.0, 800.0, 5000.0]))
    assert (np.diff(ladder) <= 0).all()
    assert information.fisher(np.array([-150.0])) == pytest.approx(information.fisher(np.array([150.0])))


def test_expected_information_averages_over_uncertain_ratings() -> None:
    elo = np.array([0.0, 400.0, 1200.0])
    known = information.expected(elo, np.zeros(3))
    vague = information.expected(elo, np.full(3, 150.0))
    assert known[0, 1] == pytest.approx(information.fisher(np.array([400.0]))[0])
    assert vague[0, 2] > known[0, 2]
    assert np.array_equal(vague, vague.T)
    draws = np.random.default_rng(0).normal(400.0, 150 * math.sqrt(2), 200_000)
    assert vague[0, 1] == pytest.approx(information.fisher(draws).mean(), rel=0.01)
