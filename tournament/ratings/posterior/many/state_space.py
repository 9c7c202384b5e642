"""The curve prior of many players in state space: value and slope of the curve at each player, one after another."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fiedler.tournament.ratings.pairs import Floats, Integers
from fiedler.tournament.ratings.posterior.kernel import LEVEL_SD, SLOPE_SD, OrderedPlayers, Warp
from fiedler.tournament.ratings.posterior.many.games import SparseExpansion, few_digits

EXACT = 1e8
"""Precision of a rating that is as good as known, per Elo squared."""


class CurveSpace:
    """The series of some players, one behind the other, and all others as free players.

    The covariances of the parts are those of `Kernel`; each is applied to columns in a time that grows with the number
    of players.
    """

    def __init__(self, size: int, lines: Sequence[OrderedPlayers], warps: Sequence[Warp]) -> None:
        places = [line.places(warp) for line, warp in zip(lines, warps, strict=True)]
        self.size = size
        self.warps = tuple(warps)
        self.players: Integers = np.concatenate([line.players for line in lines])
        self.free: Integers = np.setdiff1d(np.arange(size), self.players)
        self.place: Floats = np.concatenate(places)
        self.ahead: Floats = np.concatenate([one - one.mean() for one in places])
        ends = np.cumsum([one.size for one in places])
        self.starts: Integers = np.asarray(ends - [one.size for one in places], dtype=np.int64)
        self.spans = [slice(int(a), int(b)) for a, b in zip(self.starts, ends, strict=True)]
        self.gap: Floats = np.diff(self.place, prepend=0.0)  # to the player before; negative at the start of a series
        self.gap[self.starts] = 0.0

    @property
    def parts(self) -> int:
        """The number of deviations: noise, Wiener process, its integral, and the free players if there are any."""
        return 4 if self.free.size else 3

    def applied(self, columns: Floats) -> list[Floats]:
        """Return each part's covariance with the deviation 1 times `columns`, shape (players, columns)."""
        mine, noise, free = columns[self.players], np.zeros_like(columns), np.zeros_like(columns)
        noise[self.players], free[self.free] = mine, columns[self.free]
        gap = self.gap[:, None]
        ramp = self._tails(mine)[1]
        first = ramp[self.starts].repeat([span.stop - span.start for span in self.spans], axis=0)
        wiener, smooth = np.zeros_like(columns), np.zeros_like(columns)
        wiener[self.players] = first - ramp
        before = self._shifted(ramp)
        slope = self._running(gap * (before + ramp) / 2)
        rise = gap * self._shifted(slope) + gap**2 * (before / 3 + ramp / 6)
        smooth[self.players] = self._running(rise)
        return [noise, wiener, smooth, free][: self.parts]

    def fixed(self, columns: Floats) -> Floats:
        """Return the covariance of levels, slopes and the mean of the free players times `columns`."""
        found = np.zeros_like(columns)
        for span in self.spans:
            mine, ahead = columns[self.players[span]], self.ahead[span, None]
            found[self.players[span]] = LEVEL_SD**2 * mine.sum(axis=0) + SLOPE_SD**2 * ahead * (ahead * mine).sum(
                axis=0
            )
        found[self.free] = LEVEL_SD**2 * columns[self.free].sum(axis=0)
        return found

    def squares(self, columns: Floats) -> Floats:
        """Return the quadratic form of each part at each column, shape (parts, columns)."""
        mine, gap = columns[self.players], self.gap[:, None]
        after, ramp = self._tails(mine)
        before = self._shifted(ramp)
        rows = [
            (mine**2).sum(axis=0),
            (gap * self._shifted(after) ** 2).sum(axis=0),
            (gap * (before**2 + before * ramp + ramp**2)).sum(axis=0) / 3,
            (columns[self.free] ** 2).sum(axis=0),
        ]
        return np.stack(rows[: self.parts])

    def drawn(self, normal: CurveNormals, deviations: Floats) -> tuple[Floats, Floats]:
        """Return random ratings of the prior, shape (players, draws), and their curves; the mean for free players."""
        noise, wiener, smooth, *own = deviations.tolist()
        root = np.sqrt(self.gap)[:, None]
        kick, fine = root * normal.kick, root * normal.fine
        slope = self._running(kick)
        bend = self._running(self.gap[:, None] * (self._shifted(slope) + kick / 2 + fine / np.sqrt(12)))
        curve = np.zeros((self.size, normal.kick.shape[1]))
        level = [
            LEVEL_SD * normal.level[one] + SLOPE_SD * self.ahead[span, None] * normal.slope[one]
            for one, span in enumerate(self.spans)
        ]
        curve[self.players] = np.concatenate(level) + wiener * self._running(root * normal.jump) + smooth * bend
        ratings = curve.copy()
        ratings[self.players] += noise * normal.noise[self.players]
        curve[self.free] = LEVEL_SD * normal.level[-1]
        ratings[self.free] = curve[self.free] + (own[0] if own else 0.0) * normal.noise[self.free]
        return ratings, curve

    def band(self, deviations: Floats) -> tuple[Floats, float]:
        """Return the precision of the states (value, slope) as the lower bands of a matrix, and log its determinant."""
        wiener, smooth = deviations[1] ** 2, deviations[2] ** 2
        count, gap = self.place.size, np.where(self.gap > 0, self.gap, 1.0)
        a, b, c = smooth * gap**3 / 3 + wiener * gap, smooth * gap**2 / 2, smooth * gap
        area = a * c - b**2
        inside = np.ones(count, dtype=np.bool_)
        inside[self.starts] = False
        p, q, s = (np.where(inside, one / area, 0.0) for one in (c, -b, a))  # the inverse of [[a, b], [b, c]]
        middle = -self.ahead[self.starts]
        level, slope = LEVEL_SD**2, SLOPE_SD**2  # value = level − middle · slope at the start
        own = np.stack([p, q, s])
        own[:, self.starts] += np.stack(
            [np.full(middle.size, 1 / level), middle / level, 1 / slope + middle**2 / level]
        )
        own[:, :-1] += np.stack([p, p * gap + q, p * gap**2 + 2 * q * gap + s])[:, 1:]
        bands = np.zeros((4, 2 * count))
        bands[0, ::2], bands[0, 1::2], bands[1, ::2] = own[0], own[2], own[1]
        bands[2, :-2:2], bands[3, :-2:2] = -p[1:], -q[1:]
        bands[1, 1:-1:2], bands[2, 1:-1:2] = -(p * gap + q)[1:], -(q * gap + s)[1:]
        return bands, -float(np.log(area[inside]).sum()) - middle.size * float(np.log(level * slope))

    def _tails(self, mine: Floats) -> tuple[Floats, Floats]:
        """Return the sum of the values behind each player, and Σ a (x − its place) over those."""
        after, ramp = np.zeros_like(mine), np.zeros_like(mine)
        for span in self.spans:
            behind = np.cumsum(mine[span][::-1], axis=0)[::-1]
            after[span][:-1] = behind[1:]
            steps = self.gap[span][1:, None] * after[span][:-1]
            ramp[span][:-1] = np.cumsum(steps[::-1], axis=0)[::-1]
        return after, ramp

    def _running(self, steps: Floats) -> Floats:
        """Return the sums up to each player of a series."""
        return np.concatenate([np.cumsum(steps[span], axis=0) for span in self.spans])

    def _shifted(self, values: Floats) -> Floats:
        """Return the value of the player before, 0 at the start of a series."""
        found = np.zeros_like(values)
        found[1:] = values[:-1]
        found[self.starts] = 0.0
        return found


@dataclass(frozen=True, slots=True, eq=False)
class CurveNormals:
    """Standard normal numbers of draws of the prior, which are always the same."""

    level: Floats
    """Of each series and of the free players, shape (series + 1, draws)."""
    slope: Floats
    jump: Floats
    """Of the steps of the Wiener process, shape (players of series, draws)."""
    kick: Floats
    """Of the steps of the slope."""
    fine: Floats
    """Of the steps of the curve beside those of its slope."""
    noise: Floats
    """Shape (players, draws)."""

    @classmethod
    def of(cls, space: CurveSpace, draws: int, source: np.random.Generator) -> CurveNormals:
        """Return the numbers of `draws` draws."""
        of_series, of_places = (len(space.spans) + 1, draws), (space.place.size, draws)
        sizes = (of_series, of_series, of_places, of_places, of_places, (space.size, draws))
        return cls(*(few_digits(source, size) for size in sizes))


@dataclass(frozen=True, slots=True, eq=False)
class CurvePrior:
    """The prior with its deviations."""

    space: CurveSpace
    deviations: Floats

    @property
    def noise(self) -> Floats:
        """The variances of the ratings around their curve, or the mean of the free players, shape (players,)."""
        found = np.empty(self.space.size)
        found[self.space.players], found[self.space.free] = self.deviations[0] ** 2, self.deviations[-1] ** 2
        return found

    def times(self, columns: Floats) -> Floats:
        """Return K `columns`."""
        parts = zip(self.deviations, self.space.applied(columns), strict=True)
        return np.asarray(self.space.fixed(columns) + sum(one**2 * part for one, part in parts), dtype=np.float64)

    def inverse(self, columns: Floats) -> Floats:
        """Return K⁻¹ `columns`: they are seen as they are, and what is not their curve is noise."""
        seen = np.full(self.space.size, EXACT)
        curve = CurveSplit(self, seen, np.zeros_like).curve(EXACT * columns)
        return np.asarray((columns - curve) / self.noise[:, None], dtype=np.float64)

    def split(self, at: SparseExpansion) -> CurveSplit:
        """Return L + K⁻¹ with the diagonal of L and the prior as M."""
        return CurveSplit(self, at.own, at.apart)


class CurveSplit:
    """W + K⁻¹ − S for a diagonal W: equations with the first two take one pass along the series and back."""

    def __init__(self, prior: CurvePrior, own: Floats, apart: Callable[[Floats], Floats]) -> None:
        from scipy.linalg import cho_solve_banded, cholesky_banded

        self.apart = apart
        space, deviations = prior.space, prior.deviations
        self._players, self._free = space.players, space.free
        variance = prior.noise
        self._variance, self._spread = variance[:, None], (1 + variance * own)[:, None]
        bands, volume = space.band(deviations)
        bands[0, ::2] += (own[:, None] / self._spread)[space.players, 0]
        factor = cholesky_banded(bands, lower=True, overwrite_ab=True, check_finite=False)
        self._solve: Any = lambda right: cho_solve_banded((factor, True), right, overwrite_b=True, check_finite=False)
        common = 1 / LEVEL_SD**2 + float((own[:, None] / self._spread)[space.free].sum())
        self._common = common
        self.log_determinant = 2 * float(np.log(factor[0]).sum()) - volume + float(np.log(self._spread).sum())
        if space.free.size:
            self.log_determinant += float(np.log(common * LEVEL_SD**2))

    def solved(self, right: Floats) -> Floats:
        """Return M⁻¹ `right`."""
        return np.asarray((self._variance * right + self.curve(right)) / self._spread, dtype=np.float64)

    def curve(self, right: Floats) -> Floats:
        """Return the curve of M⁻¹ `right`; of free players, their mean."""
        seen = right / self._spread
        states = np.zeros((2 * self._players.size, right.shape[1]), order="F")
        states[::2] = seen[self._players]
        found = np.empty_like(right)
        found[self._players] = self._solve(states)[::2]
        found[self._free] = seen[self._free].sum(axis=0) / self._common
        return found
