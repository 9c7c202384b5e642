"""The quality of meeting graphs: against proven optima, best known graphs and designs, relaxed optima.

    python benchmarks/meeting_graph.py [--seed S] [PART …]

Parts: optima, regular, any-degree, weighted, thousand, free-games, prior, ten-thousand, order; all of them take about
ten minutes on one core. The data, with their sources, are in tests/data/graph. Seconds are processor time.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np

from fiedler.tournament.graph import Design, design, large
from fiedler.tournament.graph.information import expected
from fiedler.tournament.graph.order import ordered
from fiedler.tournament.graph.spectrum import Array, adjacency, laplacian, rms_error

DATA = Path(__file__).parents[1] / "tests" / "data" / "graph"


def read(name: str) -> Any:  # noqa: ANN401 (JSON of several shapes)
    """Return a data file."""
    return json.loads((DATA / f"{name}.json").read_text("utf-8"))


def timed(*arguments: Any, **options: Any) -> tuple[Design, float]:  # noqa: ANN401 (those of `design`)
    """Return a design and its processor time in seconds."""
    started = time.process_time()
    made = design(*arguments, **options)
    return made, time.process_time() - started


def optima(seed: int) -> None:
    """Count the proven optima that are reached without a degree cap."""
    for n, row in read("optimal_lambda2").items():
        found = [timed(int(n), int(m), degree_cap="none", seed=seed) for m in row]
        hits = sum(made.lambda2 > best - 1e-7 for (made, _), best in zip(found, row.values(), strict=True))
        print(f"N = {n}: {hits} of {len(row)} proven optima, at most {max(s for _, s in found):.2f} s", flush=True)


def regular(seed: int) -> None:
    """Compare with the best known regular graphs."""
    for case in (*read("regular"), *read("large")):
        made, seconds = timed(case["n"], case["n"] * case["d"] // 2, seed=seed)
        share = 100 * made.lambda2 / case["lambda2"]
        print(f"N = {case['n']}, degree {case['d']}: {share:.1f} % of the best known λ2, {seconds:.1f} s", flush=True)


def any_degree(seed: int) -> None:
    """Compare with the best known graphs of other sizes: λ2 without and with a cap, and precision."""
    for case in read("any_degree"):
        n, m = case["n"], case["m"]
        free, seconds = timed(n, m, degree_cap="none", seed=seed)
        capped, more = timed(n, m, seed=seed)
        precise, most = timed(n, m, criterion="precision", degree_cap="none", seed=seed)
        resistance = nx.effective_graph_resistance(nx.Graph(precise.edges)) / (n * (n - 1))
        print(
            f"N = {n}, {m} pairs: λ2 {100 * free.lambda2 / case['lambda2']:.1f} % of the best known, near-equal "
            f"{100 * capped.lambda2 / case['lambda2_near_equal']:.1f} %, mean 1/λ "
            f"{100 * resistance / case['mean_inverse']:.2f} %, {seconds:.1f} + {more:.1f} + {most:.1f} s",
            flush=True,
        )


def weighted(seed: int) -> None:
    """Compare with the best known designs for players of known Elo, both measured by our information."""
    for case in read("weighted"):
        options = {key: case[key] for key in ("elo", "games_per_pair", "prior_games", "forbidden")}
        made, seconds = timed(case["n"], case["pairs"], criterion="precision", degree_cap="none", seed=seed, **options)
        more = 100 * (made.rms / known_rms(case) - 1)
        print(
            f"{case['id']}, N = {case['n']}: RMS error {more:+.2f} % against the best known, {seconds:.2f} s",
            flush=True,
        )


def known_rms(case: dict[str, Any]) -> float:
    """Return the RMS error of the best known design of an instance in our model of the games."""
    games = case["games_per_pair"] * adjacency(case["n"], case["edges"])
    for i, j, count in case["prior_games"]:
        games[[i, j], [j, i]] += count
    return rms_error(laplacian(games * expected(np.array(case["elo"]), np.zeros(case["n"]))))


def learning_curve(players: int) -> Array:
    """Return the Elo of checkpoints: a curve over 1,500 Elo that saturates, and noise of 15."""
    steps = np.arange(players) / players
    curve: Array = 1500 * (1 - np.exp(-4 * steps)) / (1 - np.exp(-4))
    return curve + np.random.default_rng(1).normal(0, 15, players)


def thousand(seed: int) -> None:
    """Design 4,000 pairs for 1,000 checkpoints of known Elo."""
    made, seconds = timed(
        1000, 4000, criterion="precision", degree_cap="none", seed=seed, elo=learning_curve(1000).tolist()
    )
    print(f"N = 1000: RMS error {made.rms / made.rms_bound:.4f} times the relaxed optimum, {seconds:.1f} s", flush=True)


def free_games(seed: int) -> None:
    """Distribute 30,000 and 3,000 games over 100 checkpoints with ratings known to a deviation of 100 Elo."""
    elo = learning_curve(100)
    believed = elo + np.random.default_rng(2).normal(0, 100, 100)
    for games in (30_000, 3_000):
        made, seconds = timed(100, games=games, criterion="precision", seed=seed, elo=believed.tolist(), elo_sd=100.0)
        print(
            f"{games} games, free: RMS error {true_rms(made, elo):.1f} Elo ({made.rms:.2f} as believed, bound "
            f"{made.rms_bound:.2f}), {len(made.edges)} pairs, {seconds:.1f} s",
            flush=True,
        )
        for pairs in (1000, 400):
            made, seconds = timed(
                100, pairs, criterion="precision", degree_cap="none", seed=seed, elo=believed.tolist(), elo_sd=100.0
            )
            factor = np.sqrt(2 * pairs / games)
            print(f"  {pairs} pairs: RMS error {true_rms(made, elo) * factor:.1f} Elo, {seconds:.1f} s", flush=True)
        everybody = np.full((100, 100), games / 4950)
        print(f"  round robin: {rms_error(laplacian(everybody * expected(elo, np.zeros(100)))):.1f} Elo", flush=True)


def prior(seed: int) -> None:
    """Plan a batch of games of 100 checkpoints for the posterior of 400 games, and for the best player."""
    steps, truth = np.arange(100) / 100, learning_curve(100)
    curve = 15.0**2 * np.eye(100) + 200.0**2 * np.minimum.outer(steps, steps) + 3000.0**2 * np.outer(steps, steps)
    first = design(100, 200, seed=seed)
    games = np.zeros((100, 100))
    i, j = np.array(first.edges).T
    games[i, j] = games[j, i] = 2.0
    earlier = [(a, b, 2.0) for a, b in first.edges]
    for name, assumed in (("curve", curve), ("normal", 400.0**2 * np.eye(100))):
        precision = np.linalg.inv(assumed)
        covariance = np.linalg.inv(laplacian(games * expected(truth, np.zeros(100))) + precision)
        elo = (truth + np.random.default_rng(seed).multivariate_normal(np.zeros(100), covariance)).tolist()
        common: dict[str, Any] = {"criterion": "precision", "elo": elo, "prior_games": earlier, "seed": seed}
        known = {"covariance": covariance, "precision": precision}
        plans: dict[str, dict[str, Any]] = {
            "now": {"elo_sd": np.sqrt(np.diag(covariance))},
            "prior": known,
            "best": {**known, "goal": "best"},
        }
        for batch in (200, 900, 9_000):
            seconds = {
                plan: min(timed(100, games=batch, **common, **options)[1] for _ in range(5))
                for plan, options in plans.items()
            }
            print(
                f"{name} prior, {batch} games: {seconds['prior']:.2f} s, {seconds['prior'] / seconds['now']:.2f} times "
                f"that of independent ratings; for the best player {seconds['best']:.2f} s",
                flush=True,
            )


def true_rms(made: Design, elo: Array) -> float:
    """Return the predicted RMS error of a design for players of this strength."""
    games = np.zeros((len(elo), len(elo)))
    i, j = np.array(made.edges).T
    games[i, j] = games[j, i] = made.games
    return rms_error(laplacian(games * expected(elo, np.zeros(len(elo)))))


def ten_thousand(seed: int) -> None:
    """Design 40,000 pairs for 10,000 checkpoints of known Elo, against a draw in proportion to the information."""
    elo = learning_curve(10_000)
    options = {"criterion": "precision", "degree_cap": "none", "elo": elo.tolist()}
    made, seconds = timed(10_000, 40_000, seed=seed, **options)
    print(f"N = 10000: RMS error {made.rms:.2f} Elo, {seconds:.0f} s", flush=True)
    field = large.Field(elo, np.zeros(len(elo)), 2, "none")
    for power in (2, 3):
        drawn = large.kernel_draw(field, 40_000, power, np.random.default_rng(seed))
        print(
            f"  a draw by the kernel, power {power}: {large.rms_of(large.covariance(field, drawn)):.2f} Elo", flush=True
        )


def order(seed: int) -> None:
    """Order 15,000 pairs of games of 100 checkpoints; compare every tenth prefix with the whole, scaled."""
    elo = learning_curve(100)
    made = design(100, games=30_000, criterion="precision", seed=seed, elo=elo.tolist())
    information = expected(elo, np.zeros(100))
    started = time.process_time()
    found = ordered(100, made.edges, made.games, 2, information)
    print(f"{len(found)} units in {time.process_time() - started:.1f} s")
    edges = np.array(made.edges)
    for share in (0.02, 0.05, 0.1, 0.25, 0.5):
        first = edges[found[: int(share * len(found))]]
        games = np.zeros((100, 100))
        np.add.at(games, (first[:, 0], first[:, 1]), 2.0)
        rms = rms_error(laplacian((games + games.T) * information))
        print(
            f"  the first {share:.0%}: RMS error {rms / (made.rms / np.sqrt(share)):.3f} times that of the best design"
        )


PARTS: dict[str, Callable[[int], None]] = {
    "optima": optima,
    "regular": regular,
    "any-degree": any_degree,
    "weighted": weighted,
    "thousand": thousand,
    "free-games": free_games,
    "prior": prior,
    "ten-thousand": ten_thousand,
    "order": order,
}


def main() -> None:
    """Run the parts named, or all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    given = parser.parse_args()
    for part in given.parts or PARTS:
        PARTS[part](given.seed)


if __name__ == "__main__":
    main()
