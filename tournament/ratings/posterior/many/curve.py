"""The curve prior of many players: its deviations by marginal likelihood, and the posterior of the ratings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from fiedler.tournament.ratings.best import SEED
from fiedler.tournament.ratings.pairs import Floats
from fiedler.tournament.ratings.posterior.curve import BOUNDS, PENALISED, START
from fiedler.tournament.ratings.posterior.kernel import OrderedPlayers, Warp
from fiedler.tournament.ratings.posterior.many.climb import MOST_STEPS, ManyMode, climb
from fiedler.tournament.ratings.posterior.many.determinant import quadrature
from fiedler.tournament.ratings.posterior.many.games import ManyGames, RandomNormals
from fiedler.tournament.ratings.posterior.many.state_space import CurveNormals, CurvePrior, CurveSpace, CurveSplit
from fiedler.tournament.ratings.posterior.many.variances import DRAWS, draws_of_search
from fiedler.tournament.ratings.sparse import conjugate_gradients

MOST_ROUNDS = 30
"""Of the search for the deviations."""
SMALL_CHANGE = 0.04
"""Change of the logarithm of a deviation below which the rounds end."""
LONG_STEP = 1.0
"""Largest change of the logarithm of a deviation in a round."""
RIDGE = 0.1
"""Added to the second derivatives by these logarithms, whose likelihood may be flat."""
ACCURACY = 1e-5
"""Relative accuracy of a draw: those of the prior are far larger than those of the posterior."""
STEP = 1e-4
"""Step of the numerical slopes of the first search."""
NODES, PROBES = 20, 32
"""Nodes of the quadrature of a determinant, and its random vectors."""


@dataclass(frozen=True, slots=True, eq=False)
class _Draws:
    """Draws of the posterior around its mode; the columns of each, shape (players, draws)."""

    ratings: Floats
    curve: Floats
    dual: Floats
    """Draws with the covariance (K + L⁻¹)⁻¹, the one of the mode's dual before the games."""


@dataclass(frozen=True, slots=True, eq=False)
class ManyCurveFit:
    """The posterior of ratings with one or more series, in raw Elo."""

    lines: tuple[OrderedPlayers, ...]
    prior: CurvePrior
    mode: ManyMode
    change: float
    """The change of the logarithm of a deviation in the last round."""
    evidence: float
    """Natural logarithm of the probability of the observations."""
    evidence_error: float
    """Its standard error by the number of random draws."""

    @property
    def curve(self) -> Floats:
        """The ratings without their white noise, shape (players,)."""
        return np.asarray(self.mode.at.point - self.prior.noise * self.mode.dual, dtype=np.float64)

    def variances(self, games: ManyGames, draws: int = DRAWS) -> tuple[Floats, Floats, float]:
        """Return the variances of ratings and curves relative to the mean of all, and the error of the former.

        That is the relative standard error of the middle player's deviation; the curves have that of the draws.
        """
        found = _drawn(games, self.prior, self.mode, *_normals(games, self.prior.space, draws))
        at, own = self.mode.at, 1 / self.prior.noise
        inner = at.known**2 / (at.known.sum() or 1.0)
        precision = (at.own + own - inner)[:, None]
        base = found.curve - found.ratings.mean(axis=0)
        rest = at.apart(found.ratings) - inner[:, None] * found.ratings
        mean = (own[:, None] * found.curve + rest) / precision - found.ratings.mean(axis=0)
        drawn, certain = (mean**2).mean(axis=1), 1 / precision[:, 0]
        error = float(np.median(drawn / (certain + drawn)) * np.sqrt(2 / draws) / 2)
        return (
            np.asarray(certain + drawn, dtype=np.float64),
            np.asarray((base**2).mean(axis=1), dtype=np.float64),
            error,
        )


def many_curve_fit(games: ManyGames, lines: Sequence[OrderedPlayers], elo: Floats) -> ManyCurveFit:
    """Return the posterior; `elo` are raw ratings of the table, shape (players,).

    A first search takes these as independent observations with the information of their own games, and chooses linear
    or logarithmic places. The second one has all games, and moves by average information (Gilmour, Thompson and Cullis,
    Biometrics 51, 1995).
    """
    space, logs = _first_search(games, lines, elo)
    normals = _normals(games, space, draws_of_search(games.size))
    bounds = np.log(BOUNDS[: space.parts]).T
    mode: ManyMode | None = None
    moved, change = np.zeros(space.parts), np.inf
    for _ in range(MOST_ROUNDS):
        prior = CurvePrior(space, np.exp(logs))
        mode = climb(games, prior, _again(games, prior, mode))
        step = _step(games, prior, mode, normals)
        most = np.where(step * moved < 0, np.abs(moved) / 2, LONG_STEP)  # who turns back was too far
        before, logs = logs, np.clip(logs + np.clip(step, -most, most), *bounds)
        moved = logs - before
        change = float(np.abs(moved).max())
        if change < SMALL_CHANGE:
            break
    prior = CurvePrior(space, np.exp(logs))
    mode = climb(games, prior, _again(games, prior, mode))
    volume, error = _log_determinant(prior, mode, CurveNormals.of(space, PROBES, np.random.default_rng(SEED + 1)))
    return ManyCurveFit(tuple(lines), prior, mode, change, mode.height - volume / 2, error / 2)


def _again(games: ManyGames, prior: CurvePrior, mode: ManyMode | None) -> ManyMode | None:
    """Return a start from the mode of other deviations, if it is higher than none."""
    if mode is None:
        return None
    start = ManyMode(games.expand(prior.times(mode.dual[:, None])[:, 0]), mode.dual, np.inf)
    return start if start.height >= games.value(np.zeros(games.size)) else None


def _normals(games: ManyGames, space: CurveSpace, draws: int) -> tuple[RandomNormals, CurveNormals]:
    return RandomNormals.of(games, draws), CurveNormals.of(space, draws, np.random.default_rng(SEED + 1))


def _drawn(
    games: ManyGames,
    prior: CurvePrior,
    mode: ManyMode,
    normal: RandomNormals,
    of_prior: CurveNormals,
    more: Floats | None = None,
) -> _Draws:
    """Return draws of the posterior: draws of the prior, moved by what the games say about them.

    `more` are vectors v, shape (players, columns); (K + L⁻¹)⁻¹ v are then the last columns of `dual`.
    """
    at, split = mode.at, prior.split(mode.at)
    ratings, curve = prior.space.drawn(of_prior, prior.deviations)
    right = games.noise(at, normal) - at.times(ratings)
    if more is not None:
        right = np.concatenate([right, at.times(more)], axis=1)
    found = conjugate_gradients(split, right, tolerance=ACCURACY, most=MOST_STEPS)
    dual, draws = right - at.times(found), ratings.shape[1]
    moved = found[:, :draws]
    return _Draws(ratings + moved, curve + moved - prior.noise[:, None] * dual[:, :draws], dual)


def _step(games: ManyGames, prior: CurvePrior, mode: ManyMode, normals: tuple[RandomNormals, CurveNormals]) -> Floats:
    """Return the step of the logarithms of the deviations that raises the evidence."""
    space, squares = prior.space, prior.deviations**2
    density = np.array(PENALISED[: space.parts], dtype=np.float64)
    images = np.concatenate(space.applied(mode.dual[:, None]), axis=1)
    dual = _drawn(games, prior, mode, *normals, images).dual
    draws = dual.shape[1] - space.parts
    expected = space.squares(dual[:, :draws]).mean(axis=1)
    slopes = squares * (space.squares(mode.dual[:, None])[:, 0] - expected) + density
    bend = 2 * np.outer(squares, squares) * (images.T @ dual[:, draws:])
    bend = (bend + bend.T) / 2 + RIDGE * np.eye(space.parts)
    return np.asarray(np.linalg.solve(bend, slopes), dtype=np.float64)


def _first_search(games: ManyGames, lines: Sequence[OrderedPlayers], elo: Floats) -> tuple[CurveSpace, Floats]:
    """Return the places of the most likely warps, and the logarithms of the deviations."""
    both: list[Warp] = ["linear", "logarithmic"]
    own = games.expand(elo).own
    found = [_with_warps(games, lines, [warp] * len(lines), elo, own) for warp in both]
    best = max(found, key=lambda one: one[2])
    for place in range(len(lines) if len(lines) > 1 else 0):
        warps = list(best[0].warps)
        warps[place] = both[1 - both.index(warps[place])]
        best = max(best, _with_warps(games, lines, warps, elo, own), key=lambda one: one[2])
    return best[0], best[1]


def _with_warps(
    games: ManyGames, lines: Sequence[OrderedPlayers], warps: Sequence[Warp], elo: Floats, own: Floats
) -> tuple[CurveSpace, Floats, float]:
    """Return the places, the deviations' logarithms and the evidence for observations `elo` of the precisions `own`."""
    from scipy.optimize import minimize

    space = CurveSpace(games.size, lines, warps)
    pull = (own * (elo - elo.mean()))[:, None]
    density = np.array(PENALISED[: space.parts], dtype=np.float64)

    def loss(logs: Floats) -> float:
        split = CurveSplit(CurvePrior(space, np.exp(logs)), own, np.zeros_like)
        fit = float(pull[:, 0] @ split.solved(pull)[:, 0])
        return -(fit - split.log_determinant) / 2 - float(density @ logs)

    start, bounds = np.log(START[: space.parts]), np.log(BOUNDS[: space.parts])
    found = minimize(loss, start, method="L-BFGS-B", bounds=bounds, options={"eps": STEP, "ftol": 1e-7})
    return space, np.asarray(found.x, dtype=np.float64), -float(found.fun)


def _log_determinant(prior: CurvePrior, mode: ManyMode, normal: CurveNormals) -> tuple[float, float]:
    """Return log |I + K L| and its standard error.

    It is that of M in closed form, and tr log M⁻¹(M − S) by Lanczos quadrature in the metric of M, from draws of
    N(0, M⁻¹).
    """
    split, own = prior.split(mode.at), mode.at.own[:, None]
    ratings, _ = prior.space.drawn(normal, prior.deviations)
    noise = np.sqrt(own) * np.random.default_rng(SEED).standard_normal(ratings.shape)
    start = ratings + split.solved(noise - own * ratings)
    image = noise + prior.precision(ratings)
    found = quadrature(mode.at.apart, split.solved, start, image, NODES)
    # All players' common level is nearly free in M − S and not in M: its share of the draws is known.
    level = float(prior.precision(np.ones((prior.space.size, 1))).sum())
    whole = level + float(mode.at.own.sum())
    found -= np.log(level / whole) * (image.sum(axis=0) ** 2 / whole - 1)
    return split.log_determinant + float(found.mean()), float(found.std(ddof=1)) / found.size**0.5
