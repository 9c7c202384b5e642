"""Posterior ratings: the players with their ratings under a prior, and all that it assumes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from fiedler.support.errors import UsageError
from fiedler.tournament.ratings.best import SEED, square_root
from fiedler.tournament.ratings.pairs import Floats
from fiedler.tournament.ratings.posterior.assumed import Assumed


@dataclass(frozen=True, slots=True)
class PosteriorPlayer:
    """A player's rating under the prior, in scaled Elo."""

    name: str
    elo: float
    sd: float
    """Standard deviation, relative to the mean of all players."""
    curve: float | None = None
    """The rating without the noise of its own; None outside all series."""
    curve_sd: float | None = None


@dataclass(frozen=True, slots=True)
class Posterior:
    """Ratings under a prior, by falling elo. They depend on all players who take part: they are not for prizes."""

    players: tuple[PosteriorPlayer, ...]
    """The players with games. The mean of their elo is 0, unless a rating is anchored."""
    assumed: Assumed
    evidence: float
    """Nats for the prior against the next simpler one: curve against one normal distribution; a number of
    distributions against one less; one normal distribution against equal players."""
    shrinkage: float
    """Sum of the variances relative to that of the Bayes-Elo table."""
    slope: float
    """Of the posterior ratings over those of the Bayes-Elo table: 1 without any shrinkage."""
    scale: float
    """Scaled Elo per raw Elo."""
    warnings: tuple[str, ...]
    covariances: Callable[[], Floats] = field(repr=False, compare=False)
    """Computes the result of `covariance`."""
    precisions: Callable[[Sequence[str]], Floats] = field(repr=False, compare=False)
    """Computes the result of `precision`."""

    def covariance(self) -> Floats:
        """Return the covariances in scaled Elo squared, shape (N, N), in the order of `players`."""
        return self.covariances()

    def precision(self, names: Sequence[str]) -> Floats:
        """Return what the prior knows about some players before any game.

        For a curve it is the inverse of their block of the prior's covariance. For a population it is the diagonal of
        the precisions that expectation propagation gives the prior of each player, or 1/s² of one normal distribution;
        averaged over s and over the number of distributions. Expected strengths are part of it.

        Parameters
        ----------
        names : sequence of str
            Players with games.

        Returns
        -------
        ndarray of float64, shape (len(names), len(names))
            Symmetric and positive definite, per scaled Elo squared, in the order of `names`.

        Raises
        ------
        UsageError
            A player has no games.

        """
        known = {player.name for player in self.players}
        for name in names:
            if name not in known:
                raise UsageError(f"posterior: expected players with games, got {name!r}")
        return self.precisions(names)

    def draws(self, count: int) -> Floats:
        """Return random ratings of all players, with the same seed in every call.

        Parameters
        ----------
        count : int
            The number of draws, at least 1.

        Returns
        -------
        ndarray of float64, shape (count, N)
            Scaled Elo, in the order of `players`.

        """
        normal = np.random.default_rng(SEED).standard_normal((count, len(self.players)))
        mean = np.array([player.elo for player in self.players])
        return np.asarray(mean + normal @ square_root(self.covariance()).T, dtype=np.float64)
