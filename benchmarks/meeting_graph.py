"""How good meeting graphs are: against proven optima, best known regular graphs, and best known designs for known Elo.

    python benchmarks/meeting_graph.py [--seed S]

Takes some minutes. The data, with their sources, are in tests/data/graph.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from tournament.graph import design

DATA = Path(__file__).parents[1] / "tests" / "data" / "graph"


def read(name: str) -> Any:  # noqa: ANN401 (JSON of several shapes)
    """Return a data file."""
    return json.loads((DATA / f"{name}.json").read_text("utf-8"))


def optima(seed: int) -> None:
    """Count the proven optima that are reached without a degree cap."""
    for n, row in read("optimal_lambda2").items():
        found = [design(int(n), int(m), degree_cap="none", seed=seed) for m in row]
        hits = sum(made.lambda2 > best - 1e-7 for made, best in zip(found, row.values(), strict=True))
        print(f"N = {n}: {hits} of {len(row)} proven optima, at most {max(made.seconds for made in found):.2f} s")


def regular(seed: int) -> None:
    """Compare with the best known regular graphs."""
    for case in read("regular"):
        made = design(case["n"], case["n"] * case["d"] // 2, seed=seed)
        share = 100 * made.lambda2 / case["lambda2"]
        print(f"N = {case['n']}, degree {case['d']}: {share:.1f} % of the best known λ2, {made.seconds:.2f} s")


def weighted(seed: int) -> None:
    """Compare with the best known designs for players of known Elo."""
    for case in read("weighted"):
        wishes = {"elo": case["elo"], "games_per_pair": case["games_per_pair"], "prior_games": case["prior_games"]}
        made = design(case["n"], case["pairs"], criterion="precision", degree_cap="none", seed=seed, **wishes)
        more = 100 * (made.rms / case["rms_best_known"] - 1)
        print(f"{case['id']}: RMS error {more:+.1f} % against the best known, {made.seconds:.2f} s")


def main() -> None:
    """Run all three."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=0)
    seed = parser.parse_args().seed
    for part in (optima, regular, weighted):
        part(seed)


if __name__ == "__main__":
    main()
