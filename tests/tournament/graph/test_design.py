"""Meeting graphs: proven optima, best known values, and all constraints kept."""

from __future__ import annotations

import json
import sys
from typing import Any

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, reject, settings
from hypothesis import strategies as st

from fiedler.support.errors import UsageError
from fiedler.tournament.graph import Design, DesignError, bounds, design, information, large
from fiedler.tournament.graph.problem import beliefs, connectivity_problem
from fiedler.tournament.graph.spectrum import adjacency, lambda2, laplacian, rms_error
from tests.folders import DATA
from tests.tournament.graph.kirchhoff import kirchhoff_index

FOLDER = DATA / "graph"
OPTIMA: dict[str, dict[str, float]] = json.loads((FOLDER / "optimal_lambda2.json").read_text("utf-8"))
GRAPHS: dict[str, dict[str, dict[str, Any]]] = json.loads((FOLDER / "optimal_graphs.json").read_text("utf-8"))
REGULAR: list[dict[str, Any]] = json.loads((FOLDER / "regular.json").read_text("utf-8"))
WEIGHTED: list[dict[str, Any]] = json.loads((FOLDER / "weighted.json").read_text("utf-8"))

SMALL = [(int(n), int(m), value) for n, row in OPTIMA.items() for m, value in row.items()]


def graph_of(made: Design) -> nx.Graph:
    graph = nx.Graph()
    graph.add_nodes_from(range(len(made.names)))
    graph.add_edges_from(made.edges)
    return graph


@pytest.mark.parametrize(
    ("players", "pairs", "best"), [case for case in SMALL if case[0] <= 7 or case[1] in (20, 25, 30)]
)
def test_reaches_the_proven_optimum(players: int, pairs: int, best: float) -> None:
    made = design(players, pairs, degree_cap="none")
    assert made.lambda2 == pytest.approx(best, abs=1e-7)
    assert made.lambda2 == pytest.approx(nx.algebraic_connectivity(graph_of(made), method="lanczos"), abs=1e-6)


@pytest.mark.parametrize(("players", "pairs", "best"), SMALL)
def test_no_proven_optimum_beats_the_bound(players: int, pairs: int, best: float) -> None:
    problem = connectivity_problem(pairs, "none", np.zeros((players, players)))
    assert bounds.lambda2_bound(problem) >= best - 1e-9


@pytest.mark.parametrize(
    "case", [case for case in REGULAR if case["n"] in (12, 16, 30, 50)], ids=lambda c: f"{c['n']},{c['d']}"
)
@pytest.mark.slow
def test_comes_close_to_the_best_known_regular_graphs(case: dict[str, Any]) -> None:
    made = design(case["n"], case["n"] * case["d"] // 2)
    assert set(dict(graph_of(made).degree).values()) == {case["d"]}
    assert made.lambda2 >= 0.98 * case["lambda2"]
    assert made.lambda2_bound >= made.lambda2


@pytest.mark.parametrize("case", REGULAR, ids=lambda c: f"{c['n']},{c['d']}")
def test_bounds_of_regular_graphs(case: dict[str, Any]) -> None:
    players, degree = case["n"], case["d"]
    assert min(bounds.regular_bound(players, degree), degree) == pytest.approx(case["upper_bound"], abs=1e-6)
    problem = connectivity_problem(players * degree // 2, "near-equal", np.zeros((players, players)))
    assert bounds.lambda2_bound(problem) >= case["lambda2"] - 1e-9
    graph = nx.from_graph6_bytes(case["graph6"].encode())
    alike = beliefs(players, None, None, 2, ())
    trace = kirchhoff_index(graph) / players
    lowest = bounds.rms_bound(problem, alike, bounds.relax(problem, alike)[0])
    assert lowest**2 * players <= trace / (2 * information.equal_strength()) * (1 + 1e-9)


@pytest.mark.parametrize(("players", "pairs"), [(5, 7), (7, 9), (8, 12), (9, 16), (10, 15)])
def test_precision_and_order_reach_the_optima_of_full_enumeration(players: int, pairs: int) -> None:
    known = GRAPHS[str(players)].get(str(pairs))
    if known is None:
        return
    precise = graph_of(design(players, pairs, criterion="precision", degree_cap="none"))
    assert kirchhoff_index(precise) == pytest.approx(known["min_kirchhoff_index"], abs=1e-6)
    ordered = graph_of(design(players, pairs, criterion="order", degree_cap="none"))
    assert nx.number_of_spanning_trees(ordered) == pytest.approx(known["max_spanning_trees"])


@pytest.mark.slow
@pytest.mark.parametrize("case", WEIGHTED, ids=lambda case: str(case["id"]))
def test_precision_uses_known_ratings(case: dict[str, Any]) -> None:
    options = {key: case[key] for key in ("elo", "games_per_pair", "prior_games", "forbidden")}
    made = design(case["n"], case["pairs"], criterion="precision", degree_cap="none", **options)
    assert (
        case["rms_lower_bound"] * 0.98 < made.rms_bound <= made.rms
    )  # their model has advantage 30, draw parameter 100
    assert made.rms == made.rms_precision
    per_game = information.expected(np.array(case["elo"]), np.zeros(case["n"]))
    games = case["games_per_pair"] * adjacency(case["n"], case["edges"])
    for i, j, count in case["prior_games"]:
        games[[i, j], [j, i]] += count
    assert made.rms < 1.003 * rms_error(laplacian(games * per_game))


def test_freely_distributed_games_reach_the_relaxed_optimum() -> None:
    """30,000 games of 100 checkpoints were simulated: round robin 19.8 Elo, 1,000 pairs 15.2, free games 14.9."""
    steps = np.arange(100) / 100
    elo = (1500 * (1 - np.exp(-4 * steps))).tolist()
    free = design(100, games=30_000, criterion="precision", elo=elo, elo_sd=100.0)
    assert sum(free.games) == 30_000
    assert free.rms_bound <= free.rms < 1.003 * free.rms_bound
    everybody = information.expected(np.array(elo), np.full(100, 100.0)) * (30_000 / 4950)
    assert free.rms < 0.8 * rms_error(laplacian(everybody))
    with pytest.raises(DesignError, match="degree_cap limits pairs"):
        design(10, games=300, criterion="precision", degree_cap=3)
    with pytest.raises(DesignError, match="either pairs or games"):
        design(10, 20, games=300)


def test_free_games_keep_to_required_and_forbidden_pairs() -> None:
    options: dict[str, Any] = {"elo": [0.0, 10.0, 900.0, 910.0, 1800.0], "required": [(0, 4)], "forbidden": [(0, 1)]}
    made = design(5, games=60, games_per_pair=4, criterion="precision", **options)
    assert (0, 4) in made.edges
    assert (0, 1) not in made.edges
    assert sum(made.games) == 60
    assert all(games % 4 == 0 for games in made.games)
    assert design(5, games=60, games_per_pair=4, criterion="precision", **options).games == made.games


def test_style_sd_distributes_games_over_more_pairs() -> None:
    elo = np.linspace(0, 1200, 30).tolist()
    plain = design(30, games=4000, criterion="precision", elo=elo)
    styled = design(30, games=4000, criterion="precision", elo=elo, style_sd=40.0)
    assert len(styled.edges) > len(plain.edges)
    assert styled.rms > plain.rms
    few = design(30, 60, criterion="precision", elo=elo, games_per_pair=100, style_sd=40.0)
    assert few.rms > design(30, 60, criterion="precision", elo=elo, games_per_pair=100).rms
    assert styled.rms_bound <= styled.rms < 1.03 * styled.rms_bound


@pytest.mark.slow
def test_a_large_design_keeps_its_constraints_and_is_precise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys.modules["fiedler.tournament.graph.design_options"], "MANY", 300)
    n, pairs = 400, 1600
    elo = (1500 * np.random.default_rng(0).random(n)).tolist()
    options: dict[str, Any] = {"elo": elo, "required": [(0, 1)], "forbidden": [(0, 2)]}
    made = design(n, pairs, criterion="precision", degree_cap=10, **options)
    assert made.edges == design(n, pairs, criterion="precision", degree_cap=10, **options).edges
    assert len(set(made.edges)) == pairs
    assert (0, 1) in made.edges
    assert (0, 2) not in made.edges
    assert np.bincount(np.array(made.edges).ravel()).max() <= 10
    assert made.lambda2 == pytest.approx(lambda2(laplacian(adjacency(n, made.edges))), abs=1e-6)
    assert made.lambda2 <= made.lambda2_bound
    field = large.Field(np.array(elo), np.zeros(n), 2, 10)
    for power in (2, 3):
        drawn = large.kernel_draw(field, pairs, power, np.random.default_rng(0))
        assert made.rms < 0.99 * large.rms_of(large.covariance(field, drawn))
    games = 2 * adjacency(n, made.edges)
    exact = rms_error(laplacian(games * information.expected(np.array(elo), np.zeros(n))))
    assert made.rms == pytest.approx(exact, rel=1e-4)
    equals = design(n, 800)
    assert equals.lambda2 == pytest.approx(lambda2(laplacian(adjacency(n, equals.edges))), abs=1e-6)
    assert 0.7 < equals.lambda2 <= equals.lambda2_bound


@pytest.mark.slow
@pytest.mark.parametrize("case", WEIGHTED[:3], ids=lambda case: str(case["id"]))
def test_no_weighted_graph_beats_the_bound_near_another(case: dict[str, Any]) -> None:
    known = beliefs(case["n"], case["elo"], None, 2, [(i, j, count) for i, j, count in case["prior_games"]])
    problem = connectivity_problem(case["pairs"], "none", known.played).with_weights(*known.weighted())
    best = design(case["n"], case["pairs"], elo=case["elo"], prior_games=case["prior_games"], degree_cap="none")
    assert best.informed_lambda2 is not None
    random = np.random.default_rng(0)
    for _ in range(5):
        pairs = [(i, j) for i in range(case["n"]) for j in range(i)]
        other = problem.graph([pairs[place] for place in random.choice(len(pairs), case["pairs"], replace=False)])
        assert bounds.informed_lambda2_bound(problem, other, np.inf) >= best.informed_lambda2


def test_connectivity_with_known_ratings_avoids_games_without_information() -> None:
    elo = [0.0] * 8 + [1200.0] * 2 + [600.0] * 2
    pairs = [abs(elo[i] - elo[j]) > 1000 for i in range(12) for j in range(i)]
    apart = sum(abs(elo[i] - elo[j]) > 1000 for i, j in design(12, 24, elo=elo).edges)
    assert apart < 24 * np.mean(pairs)  # of a random graph


def test_precision_predicts_less_error_than_a_gauntlet_of_maximal_connectivity() -> None:
    gauntlet = design(20, 36, degree_cap="none")
    assert gauntlet.lambda2 == pytest.approx(2.0)
    assert gauntlet.rms_bound <= gauntlet.rms_precision <= gauntlet.rms


def test_two_players_and_complete_graphs() -> None:
    assert design(2, 1).edges == ((0, 1),)
    assert design(2, 1).lambda2 == pytest.approx(2.0)
    assert design(2, 1, prior_games=[(0, 1, 5)]).edges == ((0, 1),)
    full = design(5, 10)
    assert full.lambda2 == full.lambda2_bound == pytest.approx(5.0)
    assert len(full.edges) == 10


def test_a_design_complements_earlier_games() -> None:
    ring = [(i, (i + 1) % 10, 4) for i in range(10)]
    made = design(10, 5, prior_games=ring)
    assert not {tuple(sorted((i, j))) for i, j, _ in ring} & set(made.edges)
    both = nx.Graph([*made.edges, *((i, j) for i, j, _ in ring)])
    assert made.lambda2 == pytest.approx(nx.algebraic_connectivity(both, method="lanczos"), abs=1e-6)
    assert made.lambda2 >= 1.38  # the chords of the Möbius-Kantor graph reach 1.382; Petersen needs another ring
    assert made.lambda2_bound >= made.lambda2


def test_a_new_player_is_connected() -> None:
    before = [(i, j, 10) for i, j in design(9, 18).edges]
    made = design(10, 4, prior_games=before, degree_cap="none")
    assert sum(9 in edge for edge in made.edges) >= 3


@st.composite
def options(draw: st.DrawFn) -> tuple[int, int, dict[str, Any]]:
    players = draw(st.integers(3, 9))
    everything = [(i, j) for i in range(players) for j in range(i + 1, players)]
    pairs = draw(st.integers(players - 1, len(everything)))
    picked = draw(st.lists(st.sampled_from(everything), max_size=6, unique=True))
    cut = draw(st.integers(0, len(picked)))
    prior = draw(st.lists(st.sampled_from(everything), max_size=3, unique=True))
    options = {
        "required": picked[:cut],
        "forbidden": picked[cut:],
        "degree_cap": draw(st.sampled_from(["near-equal", "none", 2, 3, 4])),
        "seed": draw(st.integers(0, 5)),
        "criterion": draw(st.sampled_from(["connectivity", "precision", "order"])),
        "elo": draw(st.none() | st.lists(st.floats(-800, 800), min_size=players, max_size=players)),
        "prior_games": [(i, j, 3) for i, j in prior],
    }
    return players, pairs, options


@given(options())
@settings(max_examples=20, deadline=None)
def test_every_design_keeps_its_constraints(given_options: tuple[int, int, dict[str, Any]]) -> None:
    players, pairs, options = given_options
    try:
        made = design(players, pairs, **options)
    except DesignError:
        reject()
    assert len(made.edges) == len(set(made.edges)) == pairs
    assert all(0 <= i < j < players for i, j in made.edges)
    assert set(options["required"]) <= set(made.edges)
    assert not set(options["forbidden"]) & set(made.edges)
    graph = graph_of(made)
    cap = {"near-equal": -(-2 * pairs // players), "none": players}.get(options["degree_cap"], options["degree_cap"])
    assert max(dict(graph.degree).values()) <= cap
    graph.add_edges_from((i, j) for i, j, _ in options["prior_games"])
    assert nx.is_connected(graph)
    assert 0 < made.lambda2 <= made.lambda2_bound
    assert 0 < made.rms_bound <= made.rms_precision <= made.rms
    assert made.lambda2 == pytest.approx(np.linalg.eigvalsh(nx.laplacian_matrix(graph).toarray())[1], abs=1e-8)


def test_the_same_seed_gives_the_same_graph() -> None:
    assert design(14, 28, seed=3).edges == design(14, 28, seed=3).edges
    assert design(14, 28, seed=3).edges != design(14, 28, seed=4).edges


@pytest.mark.parametrize(
    ("players", "pairs", "options", "message"),
    [
        (1, 0, {}, "at least 2 players"),
        (10, 8, {}, "8 pairs cannot connect 10 players: at least 9 are needed"),
        (5, 11, {}, "form only 10 different pairs"),
        (5, 0, {}, "pairs must be at least 1"),
        (5, 10, {"forbidden": [(0, 1)]}, "only 9 are not forbidden"),
        (3, 2, {"forbidden": [(0, 1), (0, 2)]}, "2 pairs asked for, but only 1 is not forbidden"),
        (2, 1, {"forbidden": [(0, 1)]}, "1 pair asked for, but all pairs are forbidden"),
        (5, 6, {"required": [(0, 1)], "forbidden": [(1, 0)]}, "0 - 1 is both required and forbidden"),
        (5, 6, {"required": [(0, 1)], "forbidden": [(1, 0)], "names": "abcde"}, "a - b is both required and"),
        (
            5,
            4,
            {"required": [(0, i) for i in range(1, 5)], "degree_cap": 3},
            "4 required pairs, more than degree_cap 3",
        ),
        (5, 4, {"required": [(0, 1), (1, 2), (0, 2), (3, 4)], "degree_cap": "none"}, "at least 5 are needed"),
        (5, 2, {"required": [(0, 1), (1, 2), (0, 2)]}, "3 pairs are required"),
        (6, 10, {"degree_cap": 3}, "leaves room for only 9: raise degree_cap"),
        (6, 9, {"forbidden": [(0, i) for i in range(1, 6)]}, "can never meet"),
        (4, 3, {"forbidden": [(1, 2), (1, 3), (2, 3)]}, "raise degree_cap"),
        (4, 4, {"degree_cap": 0}, "degree_cap must be"),
        (4, 4, {"criterion": "precison"}, "did you mean 'precision'"),
        (4, 4, {"names": ["a"]}, "1 names for 4 players"),
        (4, 4, {"elo": [1.0]}, "elo needs one number for each of the 4 players"),
        (4, 4, {"elo": [1.0, 2.0, 3.0, float("nan")]}, "finite"),
        (4, 4, {"elo_sd": 50.0}, "elo_sd is given without elo"),
        (4, 4, {"elo": [0.0] * 4, "elo_sd": -1.0}, "elo_sd must not be negative"),
        (4, 4, {"games_per_pair": 0}, "games_per_pair"),
        (4, 4, {"required": [(0, 4)]}, "numbered 0 to 3"),
        (4, 4, {"required": [(2, 2)]}, "expected two different players"),
        (4, 4, {"prior_games": [(0, 1, -2)]}, "must not be negative"),
    ],
)
def test_contradicting_options_are_refused(players: int, pairs: int, options: dict[str, Any], message: str) -> None:
    with pytest.raises(DesignError, match=message) as caught:
        design(players, pairs, **options)
    assert isinstance(caught.value, UsageError)
    assert "\n" not in str(caught.value)
