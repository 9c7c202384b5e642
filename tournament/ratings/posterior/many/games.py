"""What is observed of many players: the games and expected strengths, with sparse second derivatives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from fiedler.tournament.ratings.best import SEED
from fiedler.tournament.ratings.likelihood import NATURAL, Likelihood, Point
from fiedler.tournament.ratings.pairs import Floats
from fiedler.tournament.ratings.posterior.observations import LEAST_SD, Known
from fiedler.tournament.ratings.sparse import Adjacency

if TYPE_CHECKING:
    from scipy.sparse import csr_array


@dataclass(frozen=True, slots=True, eq=False)
class SparseExpansion:
    """A log-likelihood to second order around a point, in raw Elo; minus the second derivatives are L = W − S."""

    point: Floats
    """Ratings, shape (players,)."""
    value: float
    gradient: Floats
    """Shape (players,)."""
    weight: Floats
    """The information of each pair, shape (pairs,)."""
    own: Floats
    """W, shape (players,)."""
    links: csr_array
    """S of the games, shape (players, players)."""
    known: Floats
    """The precision of the expected strengths, shape (players,)."""

    def apart(self, columns: Floats) -> Floats:
        """Return S `columns`, shape (players, columns)."""
        found = np.asarray(self.links @ columns, dtype=np.float64)
        if self.known.any():
            found += self.known[:, None] * (self.known @ columns / self.known.sum())
        return found

    def times(self, columns: Floats) -> Floats:
        """Return L `columns`, shape (players, columns)."""
        return np.asarray(self.own[:, None] * columns - self.apart(columns), dtype=np.float64)


def few_digits(source: np.random.Generator, shape: tuple[int, ...]) -> Floats:
    """Return standard normal numbers with the digits of 32 bits, which take half the time."""
    return source.standard_normal(shape, dtype=np.float32).astype(np.float64)


@dataclass(frozen=True, slots=True, eq=False)
class RandomNormals:
    """Standard normal numbers of some draws, which are always the same: a search needs a smooth function."""

    of_pairs: Floats
    """Shape (pairs, draws)."""
    of_known: Floats
    """Of the expected strengths, shape (players, draws); no rows without any."""
    of_prior: Floats
    """Of the prior, shape (players, draws)."""

    @classmethod
    def of(cls, games: ManyGames, draws: int, source: np.random.Generator | None = None) -> RandomNormals:
        """Return the numbers of `draws` draws, from a fixed seed if there is no source."""
        source = np.random.default_rng(SEED) if source is None else source
        of_known = games.size if games.known.any() else 0
        return cls(*(few_digits(source, (rows, draws)) for rows in (games.pairs.low.size, of_known, games.size)))


class ManyGames:
    """Games and expected strengths of many players; a shift of all players changes nothing."""

    def __init__(
        self,
        likelihood: Likelihood,
        advantage: float,
        draw_elo: float,
        names: Sequence[str] = (),
        known: Known | None = None,
    ) -> None:
        """Take the games and the expected strengths of the players in `known`, as `Observations.of` does."""
        from scipy.sparse import csr_array

        self.likelihood, self.advantage, self.draw_elo = likelihood, advantage, draw_elo
        self.pairs = likelihood.pairs
        self.size = self.pairs.size
        self.expected, self.known = np.zeros(self.size), np.zeros(self.size)
        places = {name: place for place, name in enumerate(names)}
        for name, (elo, sd) in (known or {}).items():
            self.expected[places[name]], self.known[places[name]] = elo, max(sd, LEAST_SD) ** -2
        self._adjacency = Adjacency(self.pairs)
        count = self.pairs.low.size
        signs, ends = np.repeat([1.0, -1.0], count), np.concatenate([self.pairs.low, self.pairs.high])
        self._ends = csr_array((signs, (ends, np.tile(np.arange(count), 2))), shape=(self.size, count))

    def value(self, elo: Floats) -> float:
        """Return the log-likelihood of raw ratings, shape (players,), up to a constant."""
        return self.likelihood.value(self._at(elo)) - float((elo - self.expected) @ self._strain(elo)) / 2

    def expand(self, elo: Floats) -> SparseExpansion:
        """Return value and derivatives at raw ratings, shape (players,)."""
        slopes = self.likelihood.slopes(self._at(elo))
        weight = NATURAL**2 * slopes.curvature
        strain = self._strain(elo)
        return SparseExpansion(
            point=elo,
            value=slopes.value - float((elo - self.expected) @ strain) / 2,
            gradient=NATURAL * slopes.gradient[:-2] - strain,
            weight=weight,
            own=self.pairs.per_player(weight, weight) + self.known,
            links=self._adjacency.of(weight),
            known=self.known,
        )

    def noise(self, at: SparseExpansion, normal: RandomNormals) -> Floats:
        """Return random vectors with the covariance L, shape (players, draws)."""
        found = np.asarray(self._ends @ (np.sqrt(at.weight)[:, None] * normal.of_pairs), dtype=np.float64)
        if self.known.any():
            own = np.sqrt(self.known)[:, None] * normal.of_known
            found += own - self.known[:, None] * (own.sum(axis=0) / self.known.sum())
        return found

    def _strain(self, elo: Floats) -> Floats:
        """Return the precision of the expected strengths times the distances from them."""
        away = self.known * (elo - self.expected)
        return np.asarray(away - self.known * (away.sum() / (self.known.sum() or 1.0)), dtype=np.float64)

    def _at(self, elo: Floats) -> Point:
        return Point(elo, self.advantage, self.draw_elo)
