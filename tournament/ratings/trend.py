"""The trend of a series of players: a straight line through their ratings, and a test that it is not level."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from fiedler.support.errors import printable
from fiedler.support.text import p_text
from fiedler.tournament.ratings.homogeneity import MOST, moments
from fiedler.tournament.ratings.model import PlayerRating
from fiedler.tournament.ratings.numbered import find_numbered
from fiedler.tournament.ratings.pairs import Floats, Integers
from fiedler.tournament.ratings.results import Results
from fiedler.tournament.ratings.tails import normal_cdf

SIGNIFICANT = 0.05
"""P-value below which a series has a trend."""


@dataclass(frozen=True, slots=True)
class Trend:
    """The line through the ratings of a series, in scaled Elo."""

    first: str
    """The player with the lowest number."""
    last: str
    players: int
    rise: float
    """Value of the line at `last` minus that at `first`."""
    z: float
    """The statistic of the test, positive for a rise; a standard normal number if all these players are equal."""
    p_value: float
    """The probability of a z at least as far from 0 if they are."""

    @property
    def is_shown(self) -> bool:
        """Whether the trend is more than chance."""
        return self.p_value < SIGNIFICANT and self.rise * self.z > 0

    @property
    def text(self) -> str:
        """The trend as a sentence, without a full stop."""
        ends = f"from {printable(self.first)} to {printable(self.last)}"
        return f"the curve {self._phrase if self.is_shown else 'has no trend'} {ends} {self._test}"

    @property
    def summary(self) -> str:
        """The trend as a phrase, for a place that names the curve."""
        return f"{self._phrase if self.is_shown else 'no trend'} {self._test}"

    @property
    def _phrase(self) -> str:
        return f"{'rises' if self.rise > 0 else 'falls'} by {abs(self.rise):.0f} Elo"

    @property
    def _test(self) -> str:
        return f"(z = {self.z:.1f}, {p_text(self.p_value)})"


def trends(
    players: Sequence[PlayerRating], covariance: Callable[[Integers], Floats], results: Results
) -> Iterator[Trend]:
    """Yield the trend of every series among the players, the longest series first.

    `covariance` returns that of the ratings of players by their places, shape (places, places). The ratings are those
    of `results`, and all is finite.
    """
    place = {player.name: number for number, player in enumerate(players)}
    for _, series in find_numbered(players):
        rows = np.array([place[one.player.name] for one in series])
        elo = np.array([one.player.elo for one in series])
        names = [one.player.name for one in series]
        z = _statistic(names, results)
        if math.isfinite(z) and math.isfinite(rise := _rise(elo, covariance(rows))):
            p_value = 2 * float(normal_cdf(np.array(-abs(z))))
            yield Trend(names[0], names[-1], len(names), rise, z, p_value)


def _rise(elo: Floats, covariance: Floats) -> float:
    """Return the rise of the line from the first to the last player; nan if errors of 0 leave it undetermined.

    The line is fitted over the index of the players, 0 … n − 1, by generalised least squares to the differences d to
    the first player: with their covariance V and the differences x of the index, the slope is xᵀV⁻¹d / xᵀV⁻¹x (Aitken
    1936; Seber and Lee, Linear Regression Analysis, section 3.10). It does not depend on the player of reference.
    """
    index = np.arange(1, elo.size, dtype=np.float64)
    shared = covariance[0]
    differences = (covariance - shared - shared[:, None] + shared[0])[1:, 1:]
    try:
        weights = np.linalg.solve(differences, index)
    except np.linalg.LinAlgError:
        return math.nan
    precision = float(weights @ index)
    return (elo.size - 1) * float(weights @ (elo[1:] - elo[0])) / precision if precision > 0 else math.nan


def _statistic(names: Sequence[str], results: Results) -> float:
    """Return the score of the index against the points, in standard errors; nan without information.

    It is the correlation statistic of the generalised Cochran-Mantel-Haenszel test with the index as the score of a
    player (Mantel 1963; Agresti, Categorical Data Analysis, section 8.4), with the strata of `homogeneity`. It assumes
    no model of draws and no prior, so that a wrong one does not make a trend.
    """
    if len(names) > MOST:
        return math.nan
    index = {name: number for number, name in enumerate(names)}
    place = np.array([index.get(name, -1) for name in results.names])
    excess, covariance = moments(results, place, len(names))
    score = np.arange(len(names)) - (len(names) - 1) / 2
    variance = float(score @ covariance @ score)
    return float(score @ excess) / math.sqrt(variance) if variance > 0 else math.nan
