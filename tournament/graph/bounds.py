"""Proven bounds over all meeting graphs: upper bounds of λ2, lower bounds of the RMS error."""

from __future__ import annotations

import numpy as np

from fiedler.support.stages import begin, step
from fiedler.tournament.graph.problem import Beliefs, Ints, Mask, Problem
from fiedler.tournament.graph.spectrum import Array, lambda2, laplacian

_RELAX_STEPS = 150
"""Steps of the relaxed problem for up to 120 players."""
_POWERS = (0.0, 1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0, 32.0)
"""Powers of the pseudo-inverse that serve as test matrices."""


def lambda2_bound(problem: Problem, vectors: Array | None = None) -> float:
    """Return an upper bound of λ2 over all choices that a connectivity problem allows.

    `vectors` (N, K) are further test vectors, orthogonal to the ones vector, for example the low eigenvectors of a good
    design. For each of them λ2 <= x^T L x / x^T x, which is largest for the best `pairs` edges.
    """
    n = problem.players
    everything = (problem.allowed | problem.seen).astype(float)
    bounds = [lambda2(laplacian(everything)), *_degree_bounds(problem, everything)]
    if _regular(problem):
        bounds.append(regular_bound(n, problem.cap))
    if vectors is not None:
        bounds.extend(_rayleigh(problem, vectors[:, k]) for k in range(vectors.shape[1]))
    return float(min(bounds))


def _regular(problem: Problem) -> bool:
    """Whether the cap leaves only regular graphs."""
    return not problem.seen.any() and problem.players * problem.cap == 2 * problem.pairs


def _degree_bounds(problem: Problem, everything: Array) -> list[float]:
    """Bounds by the trace (2M/(N-1)), by the smallest degree (Fiedler 1973) and by that player's neighbourhood."""
    n = problem.players
    before = problem.seen.sum(axis=1)
    most = np.minimum(before + problem.cap, everything.sum(axis=1))
    total = float(before.sum() + 2 * problem.pairs)
    smallest = min(int(most.min()), _fill(before, 2 * problem.pairs))
    bounds = [total / (n - 1), n * smallest / (n - 1)]
    if total < n * (n - 1):  # not complete: λ2 <= vertex connectivity <= smallest degree
        bounds.append(float(smallest))
        bounds.append(max(_ball_bound(n, degree, int(most.max()), total / 2) for degree in range(smallest + 1)))
    return bounds


def _fill(before: Array, ends: int) -> int:
    """Return the largest minimum degree after `ends` further edge ends: the lowest players are raised first."""
    level = int(before.min())
    while np.maximum(level + 1 - before, 0).sum() <= ends:
        level += 1
    return level


def _ball_bound(n: int, degree: int, most: int, edges: float) -> float:
    """Bound λ2 if some player has `degree` opponents and no player has more than `most`.

    The test vectors are constant on the player, on its opponents and on the rest. The energy between the last two sets
    is at most that of all edges that can run there. λ2 <= second eigenvalue of this three-point graph.
    """
    rest = n - 1 - degree
    if degree == 0 or rest == 0:
        return float(degree) if degree == 0 else float(n)
    across = min(degree * (most - 1), edges - degree, degree * rest)
    sizes = np.array([1.0, degree, rest])
    path = np.array([[degree, -degree, 0.0], [-degree, degree + across, -across], [0.0, -across, across]])
    return float(np.linalg.eigvalsh(path / np.sqrt(np.outer(sizes, sizes)))[1])


def _rayleigh(problem: Problem, vector: Array) -> float:
    """Return the largest x^T L x / x^T x over all choices of `pairs` allowed edges."""
    gains = problem.weights * (vector[:, None] - vector[None, :]) ** 2
    upper = np.triu(np.ones_like(gains, dtype=bool), 1) & problem.allowed
    best = np.sort(gains[upper])[::-1][: problem.pairs].sum()
    return float((vector @ problem.fixed @ vector + best) / (vector @ vector))


def informed_lambda2_bound(problem: Problem, graph: Array, unweighted: float) -> float:
    """Return an upper bound of λ2 over all choices for a problem with weighted pairs, given a good design's Laplacian.

    Without earlier games and without a prior, the largest weight times the bound of the `unweighted` graph is one. For
    any X >= 0 that is orthogonal to the ones vector, λ2 tr X <= tr XL. Here X is a power of the pseudo-inverse of
    `graph`: from the identity (the trace bound) to nearly the Fiedler vector alone.
    """
    values, vectors = np.linalg.eigh(graph + 2 * float(graph.trace()) / problem.players)  # the ones vector comes last
    values, vectors = np.maximum(values[:-1], 1e-12 * values[-1]), vectors[:, :-1]
    tested = [_tested(problem, vectors, (values[0] / values) ** power) for power in _POWERS]
    by_weight = np.inf if problem.seen.any() or problem.fixed.any() else float(problem.weights.max()) * unweighted
    return max(lambda2(graph), min(by_weight, *tested))


def _tested(problem: Problem, vectors: Array, shares: Array) -> float:
    """Return the largest tr XL / tr X over all choices within the cap, X = sum of shares v v^T."""
    test = (vectors * shares) @ vectors.T
    distances = np.diag(test)[:, None] + np.diag(test)[None, :] - 2 * test
    gains = np.where(problem.allowed, problem.weights * distances, 0.0)
    any_pairs = np.sort(gains[np.triu_indices(problem.players, 1)])[::-1][: problem.pairs].sum()
    within_cap = np.sort(gains, axis=1)[:, ::-1][:, : problem.cap].sum() / 2
    return float((np.sum(test * problem.fixed) + min(any_pairs, within_cap)) / shares.sum())


def regular_bound(n: int, degree: int) -> float:
    """Return the bound of Cioabă, Koolen, Nozaki and Vermette for λ2 of a `degree`-regular graph on `n` vertices.

    A regular graph with second adjacency eigenvalue at most θ(t, c) has at most
    1 + sum_{i=0}^{t-3} d (d-1)^i + d (d-1)^{t-2} / c vertices, where θ is the second eigenvalue of a t x t tridiagonal
    matrix. Here c is solved from n. Equality: complete, Petersen, Heawood, Hoffman-Singleton, … (Moore polygons).
    """
    if degree <= 1 or n <= degree + 1:
        return float(n) if n == degree + 1 else 0.0 if degree == 0 or n > 2 else 2.0
    if degree == 2:
        return 2 - 2 * float(np.cos(2 * np.pi / n))
    inner, layer, t = 1, degree, 2
    while n - inner > layer:  # the last layer holds d (d-1)^(t-2) / c vertices with c >= 1
        inner, layer, t = inner + layer, layer * (degree - 1), t + 1
    return degree - _second_eigenvalue(degree, t, layer / (n - inner))


def _second_eigenvalue(degree: int, t: int, c: float) -> float:
    """Return the second eigenvalue of the tridiagonal matrix of row sums d, lower (1,…,1,c), upper (d,d-1,…,d-1)."""
    lower = np.ones(t - 1)
    lower[-1] = c
    upper = np.full(t - 1, degree - 1.0)
    upper[0] = degree
    off = np.sqrt(lower * upper)  # similar symmetric matrix
    diagonal = degree - np.concatenate([[0.0], lower]) - np.concatenate([upper, [0.0]])
    return float(np.linalg.eigvalsh(np.diag(diagonal) + np.diag(off, 1) + np.diag(off, -1))[-2])


def rms_bound(problem: Problem, beliefs: Beliefs, bound: float) -> float:
    """Return a lower bound in Elo of sqrt(tr(L^+)/N) over all choices; `bound` is the relaxed one of the trace."""
    if _interchangeable(problem, beliefs):
        bound = max(
            bound,
            moment_trace(problem.players, problem.pairs, problem.cap)
            / float(beliefs.information(beliefs.games_per_pair)[0, 1]),
        )
    return float(np.sqrt(bound / problem.players))


def _interchangeable(problem: Problem, beliefs: Beliefs) -> bool:
    """Whether all players are interchangeable: equal beliefs, no earlier games and no prior."""
    return (
        problem.free
        and beliefs.prior is None
        and bool(np.ptp(beliefs.per_game[~np.eye(problem.players, dtype=bool)]) == 0)
    )


def moment_trace(n: int, m: int, cap: int) -> float:
    """Return a lower bound of sum 1/λ over simple graphs with n players, m edges and degrees of at most `cap`.

    The first two moments of the spectrum are known: sum λ = 2m and sum λ^2 = sum (d^2 + d), which is smallest for
    near-equal degrees. R bounds all eigenvalues. The parabola that touches 1/x at x0 and meets it at R stays below 1/x
    on (0, R] and opens upwards. The best x0 of a grid is used.
    """
    low, extra = divmod(2 * m, n)
    squares = (n - extra) * (low**2 + low) + extra * ((low + 1) ** 2 + low + 1)
    largest = float(min(n, 2 * cap))
    best = 0.0
    for touch in np.linspace(0.2, 1.0, 161) * min(largest, 2 * m / (n - 1)):
        curve = 1.0 / (touch * touch * largest)
        slope = -1.0 / touch**2 - 2 * curve * touch
        start = 1.0 / touch - slope * touch - curve * touch**2
        best = max(best, start * (n - 1) + slope * 2 * m + curve * squares)
    return best


def relax(problem: Problem, beliefs: Beliefs) -> tuple[float, Array]:
    """Solve the convex problem in which games may be spread freely over the allowed pairs.

    Return a lower bound of tr(L^+) over all designs, in Elo^2, and the best spread in games per pair (N x N).
    Multiplicative updates u <- u sqrt(q) with q = I b^T K^2 b find the spread u. As tr(L^+) is convex in u, the tangent
    at any u bounds every design v: tr K(v) >= tr K(u) + q u - q v, and at most `pairs` pairs contribute to q v. If all
    players are interchangeable, the even spread at the start is the best one.
    """
    rows, columns = np.nonzero(np.triu(problem.allowed, 1))
    weights, fixed = beliefs.weighted()
    information = weights[rows, columns] / beliefs.games_per_pair
    scale = float(information.max())
    fixed = fixed / scale
    total = float(problem.pairs * beliefs.games_per_pair)
    spread = information**2 + 1e-3 * scale**2
    spread *= total / spread.sum()
    best = 0.0
    steps = 1 if _interchangeable(problem, beliefs) else _relax_steps(problem.players)
    begin("relaxed problem", steps)
    for _ in range(steps):
        trace, gain = _gains(
            fixed + laplacian(_matrix(problem.players, rows, columns, spread * information / scale)), rows, columns
        )
        gain *= information / scale
        ceiling = np.sort(gain)[-problem.pairs :].sum() * beliefs.games_per_pair
        best = max(best, float(trace + gain @ spread - ceiling))
        spread = spread * np.sqrt(gain)
        spread *= total / spread.sum()
        step()
    return best / scale, _matrix(problem.players, rows, columns, spread)


def relax_games(allowed: Mask, beliefs: Beliefs, total: float) -> tuple[float, Array]:
    """Solve the same problem for a total number of games, without a limit for a pair.

    Return a lower bound of tr(L^+) over all designs with `total` games, in Elo^2, and the best spread (N x N). With a
    style of each pair its further games are less informative: q then is the gain of the next one. With contrasts W
    the trace is tr(W L^+), and q = I b^T K W K b.
    """
    rows, columns = np.nonzero(np.triu(allowed, 1))
    scale = float(beliefs.per_game.max())
    spread = beliefs.per_game[rows, columns] ** 2 + 1e-3 * scale**2
    spread *= total / spread.sum()
    best = 0.0
    steps = _relax_steps(len(allowed))
    begin("relaxed problem", steps)
    for _ in range(steps):
        played = beliefs.played + _matrix(len(allowed), rows, columns, spread)
        trace, gain = _gains(beliefs.precision(played, scale), rows, columns, beliefs.contrasts)
        gain *= beliefs.marginal_information(played)[rows, columns] / scale
        best = max(best, float(trace + gain @ spread - gain.max() * total))
        spread = spread * np.sqrt(gain)
        spread *= total / spread.sum()
        step()
    return best / scale, _matrix(len(allowed), rows, columns, spread)


def _relax_steps(players: int) -> int:
    return _RELAX_STEPS if players <= 120 else _RELAX_STEPS // 3 if players <= 400 else _RELAX_STEPS // 5


def _gains(matrix: Array, rows: Ints, columns: Ints, contrasts: Array | None = None) -> tuple[float, Array]:
    """Return tr W K and b^T K W K b of all pairs, where K is the pseudo-inverse of a Laplacian. W is 1 by default."""
    inverse = _inverse(matrix)
    square = inverse @ inverse if contrasts is None else inverse @ contrasts @ inverse
    trace = inverse.trace() if contrasts is None else np.sum(contrasts * inverse)
    diagonal = np.diag(square)
    gain = diagonal[rows] + diagonal[columns] - 2 * square[rows, columns]
    return float(trace), np.maximum(gain, 0.0)  # negative by rounding alone


def _matrix(players: int, rows: Ints, columns: Ints, values: Array) -> Array:
    matrix = np.zeros((players, players))
    matrix[rows, columns] = matrix[columns, rows] = values
    return matrix


def _inverse(matrix: Array) -> Array:
    """Return the pseudo-inverse of the Laplacian of a connected graph."""
    n = len(matrix)
    return np.asarray(np.linalg.inv(matrix + 1.0 / n) - 1.0 / n)
