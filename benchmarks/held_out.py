"""Predict games from other games: the Bayes-Elo table beside posterior ratings, on a recorded crosstable.

    python benchmarks/held_out.py [--splits 20] [--games 1000] [--json FILE]

`tests/data/ratings/uttt-descent.csv` has the pairs of results/uttt-descent: 125 players, 10,000 games. Each split draws
some games to rate the players and predicts all others. The colours are not in the file, so half of the games of a pair
count for each, and the advantage is 0. The loss is the mean of -log P(result) in nats a game, with P averaged
over the error of the difference.
"""

from __future__ import annotations

import argparse
import csv
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from fiedler.support.text import counted
from fiedler.tournament.ratings import Results, rate_as
from fiedler.tournament.ratings.pairs import Floats, Integers
from fiedler.tournament.ratings.posterior import KINDS, posterior
from fiedler.tournament.ratings.rao_kupper import RaoKupper
from fiedler.tournament.schedule.schedule import RatingSection

TABLE = Path(__file__).parent.parent / "tests" / "data" / "ratings" / "uttt-descent.csv"
SECTION = RatingSection(advantage=0.0, draw_elo="fit")


def read(path: Path) -> tuple[tuple[str, ...], Integers]:
    """Return the players, and the games, shape (games, 3): player, opponent, outcome 0, 1 or 2."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    names = tuple(dict.fromkeys(row[key] for row in rows for key in ("player", "opponent")))
    place = {name: number for number, name in enumerate(names)}
    games = [
        (place[row["player"]], place[row["opponent"]], outcome)
        for row in rows
        for outcome, key in enumerate(("wins", "draws", "losses"))
        for _ in range(int(row[key]))
    ]
    return names, np.array(games)


def results_of(names: tuple[str, ...], games: Integers) -> Results:
    """Return the games as results."""
    rows, counts = np.unique(games, axis=0, return_counts=True)
    table = [
        (int(i), int(j), *np.where(np.arange(3) == one, count, 0).tolist())
        for (i, j, one), count in zip(rows, counts, strict=True)
    ]
    return Results(names, tuple(table))


@dataclass(frozen=True)
class Prediction:
    """Raw ratings with their covariance, in the order of all players; a player without games has their mean."""

    elo: Floats
    errors: Floats
    """Standard errors of differences, shape (players, players)."""
    draw_elo: float

    @classmethod
    def of(
        cls, names: tuple[str, ...], rated: Sequence[tuple[str, float]], covariance: Floats, draw_elo: float
    ) -> Prediction:
        """Return it from ratings by name, in the order of their covariance."""
        place = {name: number for number, (name, _) in enumerate(rated)}
        order = [place.get(name, -1) for name in names]
        elo = np.array([value for _, value in rated])
        own = covariance.diagonal()
        errors = np.sqrt(np.maximum(own + own[:, None] - 2 * covariance, 0.0))[np.ix_(order, order)]
        missing = np.array(order) < 0
        errors[missing] = errors[:, missing] = 0.0
        return cls(np.where(missing, elo.mean(), elo[order]), np.nan_to_num(errors), draw_elo)

    def loss(self, games: Integers) -> float:
        """Return the mean of -log P(result), P averaged over the normal distribution of the difference."""
        first, second, outcome = games.T
        ahead, error = self.elo[first] - self.elo[second], self.errors[first, second]
        nodes, weights = np.polynomial.hermite_e.hermegauss(7)
        chances = sum(
            weight * np.exp(RaoKupper.log_outcomes(ahead + node * error, 0.0, self.draw_elo))
            for node, weight in zip(nodes, weights / weights.sum(), strict=True)
        )
        return float(-np.log(np.asarray(chances)[outcome, np.arange(len(games))]).mean())


def split(names: tuple[str, ...], games: Integers, size: int, seed: int) -> dict[str, float]:
    """Return the losses of one split, and the evidence of each prior."""
    order = np.random.default_rng(seed).permutation(len(games))
    seen, unseen = games[order[:size]], games[order[size:]]
    results = results_of(names, seen)
    rating = rate_as(SECTION, results)
    count = sum(player.games > 0 for player in rating.players)
    rated = [(player.name, player.elo / rating.scale) for player in rating.players[:count]]
    covariance = rating.covariance()[:count, :count] / rating.scale**2
    found = {"table": Prediction.of(names, rated, covariance, rating.draw_elo).loss(unseen)}
    for kind in KINDS:
        one = posterior(results, kind=kind, options=SECTION)
        rated = [(player.name, player.elo / one.scale) for player in one.players]
        found[kind] = Prediction.of(names, rated, one.covariance() / one.scale**2, rating.draw_elo).loss(unseen)
        found[f"{kind} evidence"] = one.evidence
    return found


def main() -> None:
    """Print the mean losses with their standard errors."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--splits", type=int, default=20)
    parser.add_argument("--games", type=int, default=1000)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    names, games = read(TABLE)
    found = [split(names, games, options.games, seed) for seed in range(options.splits)]
    means = {key: float(np.mean([one[key] for one in found])) for key in found[0]}
    errors = {key: float(np.std([one[key] for one in found], ddof=1) / len(found) ** 0.5) for key in found[0]}
    print(f"{counted(options.splits, 'split')}, {counted(options.games, 'game')} of {len(games)}")
    for key, mean in means.items():
        print(f"{key:<22} {mean:8.3f} ± {errors[key]:.3f}")
    if options.json:
        document = {"games": options.games, "of": len(games), "splits": options.splits, "mean": means, "se": errors}
        options.json.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
