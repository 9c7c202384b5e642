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
from fiedler.tournament.ratings.posterior.many.games import ManyGames, RandomNormals, SparseExpansion
from fiedler.tournament.ratings.posterior.many.state_space import CurveNormals, CurvePrior, CurveSpace, CurveSplit
from fiedler.tournament.ratings.posterior.many.variances import ACCURACY, DRAWS, ROUGH, draws_of_search
from fiedler.tournament.ratings.sparse import conjugate_gradients

MOST_ROUNDS = 30
"""Of the search for the deviations."""
SMALL_GAIN = 0.005
"""Nats that a round promises, below which the rounds end: a deviation that hardly matters may move for long."""
LONG_STEP = 1.0
"""Largest change of the logarithm of a deviation in a round."""
RIDGE = 0.1
"""Added to the second derivatives by these logarithms, whose likelihood may be flat."""
STEP = 1e-4
"""Step of the numerical slopes of the first search."""
BLOCK = 20
"""Draws at a time, which fit into the caches."""
NODES, PROBES = 10, 16
"""Nodes of the quadrature of a determinant, and its random vectors."""


@dataclass(frozen=True, slots=True, eq=False)
class _Draws:
    """Draws of the posterior around its mode; the columns of each, shape (players, draws)."""

    ratings: Floats
    curve: Floats
    dual: Floats
    """Draws with the covariance (K + L⁻¹)⁻¹, the one of the mode's dual before the games."""

    def given_others(self, at: SparseExpansion, prior: CurvePrior) -> tuple[Floats, Floats]:
        """Return each rating's variance given its curve and all other players, and its mean in each draw."""
        own = 1 / prior.noise
        inner = at.known**2 / (at.known.sum() or 1.0)
        variance = 1 / (at.own + own - inner)
        rest = own[:, None] * self.curve + at.apart(self.ratings) - inner[:, None] * self.ratings
        return variance, variance[:, None] * rest

    def squares(self, at: SparseExpansion, prior: CurvePrior) -> Floats:
        """Return the expected quadratic form of each part at the dual, shape (parts,).

        Noise and free players have theirs by the variances around their curve, of which chance draws only a part.
        """
        found: Floats = prior.space.squares(self.dual).mean(axis=1)
        variance, mean = self.given_others(at, prior)
        around = variance + ((mean - self.curve) ** 2).mean(axis=1)
        separate = (1 - around / prior.noise) / prior.noise
        found[0] = separate[prior.space.players].sum()
        if prior.space.free.size:
            found[3] = separate[prior.space.free].sum()
        return found


@dataclass(frozen=True, slots=True, eq=False)
class ManyCurveFit:
    """The posterior of ratings with one or more series, in raw Elo."""

    lines: tuple[OrderedPlayers, ...]
    prior: CurvePrior
    mode: ManyMode
    gain: float
    """Nats that the last round of the search for the deviations promised."""
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
        of_ratings, of_curve, certain = (np.zeros(games.size) for _ in range(3))
        for block in range(0, draws, BLOCK):
            normals = _normals(games, self.prior.space, min(BLOCK, draws - block), SEED + 2 + block)
            found = _drawn(games, self.prior, self.mode, *normals)
            middle = found.ratings.mean(axis=0)
            certain, mean = found.given_others(self.mode.at, self.prior)
            of_ratings += ((mean - middle) ** 2).sum(axis=1) / draws
            of_curve += ((found.curve - middle) ** 2).sum(axis=1) / draws
        error = float(np.median(of_ratings / (certain + of_ratings)) * np.sqrt(2 / draws) / 2)
        return certain + of_ratings, of_curve, error


def many_curve_fit(games: ManyGames, lines: Sequence[OrderedPlayers], elo: Floats) -> ManyCurveFit:
    """Return the posterior; `elo` are raw ratings of the table, shape (players,).

    A first search takes these as independent observations with the information of their own games, and chooses linear
    or logarithmic places. The second one has all games, and moves by average information (Gilmour, Thompson and Cullis,
    Biometrics 51, 1995).
    """
    space, logs, mean = _first_search(games, lines, elo)
    normals = _normals(games, space, draws_of_search(games.size))
    bounds = np.log(BOUNDS[: space.parts]).T
    at = games.expand(mean)
    moved, gain = np.zeros(space.parts), np.inf
    for _ in range(MOST_ROUNDS):
        prior = CurvePrior(space, np.exp(logs))
        mode = climb(games, prior, at)
        at = mode.at
        step, slopes = _step(games, prior, mode, normals)
        most = np.where(step * moved < 0, np.abs(moved) / 2, LONG_STEP)  # who turns back was too far
        before, logs = logs, np.clip(logs + np.clip(step, -most, most), *bounds)
        moved = logs - before
        gain = float(moved @ slopes) / 2
        if gain < SMALL_GAIN:
            break
    prior = CurvePrior(space, np.exp(logs))
    mode = climb(games, prior, at)
    volume, error = _log_determinant(prior, mode, CurveNormals.of(space, PROBES, np.random.default_rng(SEED + 1)))
    return ManyCurveFit(tuple(lines), prior, mode, gain, mode.height - volume / 2, error / 2)


def _normals(games: ManyGames, space: CurveSpace, draws: int, seed: int = SEED) -> tuple[RandomNormals, CurveNormals]:
    source = np.random.default_rng(seed)
    return RandomNormals.of(games, draws, source), CurveNormals.of(space, draws, source)


def _drawn(
    games: ManyGames,
    prior: CurvePrior,
    mode: ManyMode,
    normal: RandomNormals,
    of_prior: CurveNormals,
    accuracy: float = ACCURACY,
) -> _Draws:
    """Return draws of the posterior: draws of the prior, moved by what the games say about them.

    A player's own games move them first, in one pass; the conjugate gradients add what the opponents know.
    """
    at, split = mode.at, prior.split(mode.at)
    before, curve = prior.space.drawn(of_prior, prior.deviations)
    noise = games.noise(at, normal)
    ratings = before + split.solved(noise - at.own[:, None] * before)
    ratings += conjugate_gradients(split, at.apart(ratings), tolerance=accuracy, most=MOST_STEPS, square=games.size)
    dual = prior.inverse(ratings - before)
    return _Draws(ratings, curve + ratings - before - prior.noise[:, None] * dual, dual)


def _step(
    games: ManyGames, prior: CurvePrior, mode: ManyMode, normals: tuple[RandomNormals, CurveNormals]
) -> tuple[Floats, Floats]:
    """Return the step of the logarithms of the deviations that raises the evidence, and its slopes by them."""
    space, squares = prior.space, prior.deviations**2
    density = np.array(PENALISED[: space.parts], dtype=np.float64)
    images = np.concatenate(space.applied(mode.dual[:, None]), axis=1)
    expected = _drawn(games, prior, mode, *normals, ROUGH).squares(mode.at, prior)
    slopes = squares * (space.squares(mode.dual[:, None])[:, 0] - expected) + density
    moved = conjugate_gradients(prior.split(mode.at), mode.at.times(images), tolerance=ACCURACY, most=MOST_STEPS)
    bend = 2 * np.outer(squares, squares) * (images.T @ prior.inverse(moved))
    bend = (bend + bend.T) / 2 + RIDGE * np.eye(space.parts)
    return np.asarray(np.linalg.solve(bend, slopes), dtype=np.float64), slopes


def _first_search(games: ManyGames, lines: Sequence[OrderedPlayers], elo: Floats) -> tuple[CurveSpace, Floats, Floats]:
    """Return the places of the most likely warps, the logarithms of the deviations, and the ratings."""
    both: list[Warp] = ["linear", "logarithmic"]
    own = games.expand(elo).own
    found = [_with_warps(games, lines, [warp] * len(lines), elo, own) for warp in both]
    best = max(found, key=lambda one: one[2])
    for place in range(len(lines) if len(lines) > 1 else 0):
        warps = list(best[0].warps)
        warps[place] = both[1 - both.index(warps[place])]
        best = max(best, _with_warps(games, lines, warps, elo, own), key=lambda one: one[2])
    split = CurveSplit(CurvePrior(best[0], np.exp(best[1])), own, np.zeros_like)
    return best[0], best[1], split.solved((own * (elo - elo.mean()))[:, None])[:, 0]


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
    found = minimize(loss, start, method="L-BFGS-B", bounds=bounds, options={"eps": STEP, "ftol": 1e-6})
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
    image = noise + prior.inverse(ratings)
    found = quadrature(mode.at.apart, split.solved, start, image, NODES)
    # All players' common level is nearly free in M − S and not in M: its share of the draws is known.
    level = float(prior.inverse(np.ones((prior.space.size, 1))).sum())
    whole = level + float(mode.at.own.sum())
    found -= np.log(level / whole) * (image.sum(axis=0) ** 2 / whole - 1)
    return split.log_determinant + float(found.mean()), float(found.std(ddof=1)) / found.size**0.5
