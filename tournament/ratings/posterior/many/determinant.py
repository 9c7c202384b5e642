"""The logarithm of the determinant of a sparse matrix, by Lanczos quadrature of random vectors."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from fiedler.tournament.ratings.pairs import Floats
from fiedler.tournament.ratings.posterior.many.games import SparseExpansion

PROBES = 16
"""Random vectors."""
STEPS = 10
"""Nodes of the quadrature of each."""
FAINT = 1e-12
"""Least eigenvalue, for rounding."""


def log_determinant(at: SparseExpansion, precision: Floats, source: np.random.Generator) -> float:
    """Return log |L + diag(precision)| (Ubaru, Chen and Saad, SIAM J. Matrix Anal. 38, 2017).

    With D the diagonal, it is log |D| + tr log(I − X), X = D^-½ S D^-½. The first two terms of the series of the
    logarithm are left to the closed form of their traces, so that only −X³/3 and on have an error of chance.
    """
    root = 1 / np.sqrt(at.own + precision)

    def times(columns: Floats) -> Floats:
        return np.asarray(root[:, None] * at.apart(root[:, None] * columns), dtype=np.float64)

    signs = np.where(source.random((root.size, PROBES)) < 0.5, -1.0, 1.0)
    image = times(signs)
    once, twice = (signs * image).sum(axis=0), (image**2).sum(axis=0)
    rest = quadrature(times, np.copy, signs, signs, STEPS) + once + twice / 2
    exact = -_first_trace(at, root) - _second_trace(at, root) / 2
    return float(-2 * np.log(root).sum() + rest.mean() + exact)


def _first_trace(at: SparseExpansion, root: Floats) -> float:
    """Return tr X, which only expected strengths have."""
    return float(((at.known * root) ** 2).sum() / (at.known.sum() or 1.0))


def _second_trace(at: SparseExpansion, root: Floats) -> float:
    """Return tr X²."""
    squares = at.links.copy()
    squares.data = squares.data**2
    total = float(root**2 @ (squares @ root**2))
    if at.known.any():
        lift = at.known * root**2
        total += 2 * float(lift @ (at.links @ lift)) / at.known.sum() + _first_trace(at, root) ** 2
    return total


def quadrature(
    apart: Callable[[Floats], Floats], solved: Callable[[Floats], Floats], start: Floats, image: Floats, steps: int
) -> Floats:
    """Return vᵀ M log(I − M⁻¹ S) v for each column v of `start`, with `image` = M `start`.

    `apart` applies S and `solved` M⁻¹, both to columns.
    """
    lengths = np.sqrt((start * image).sum(axis=0))
    now, times = start / lengths, image / lengths
    times_before, next_to = np.zeros_like(now), np.zeros(lengths.size)
    diagonal, beside = [], []
    for _ in range(steps):
        right = times - apart(now)
        diagonal.append((now * right).sum(axis=0))
        right -= diagonal[-1] * times + next_to * times_before
        ahead = solved(right)
        next_to = np.sqrt(np.maximum((ahead * right).sum(axis=0), 1e-300))
        beside.append(next_to)
        times_before, now, times = times, ahead / next_to, right / next_to
    matrices = [_tridiagonal(own, near) for own, near in zip(np.stack(diagonal).T, np.stack(beside).T, strict=True)]
    logs = [_first_log(one) for one in matrices]
    return np.asarray(lengths**2 * logs, dtype=np.float64)


def _tridiagonal(own: Floats, beside: Floats) -> Floats:
    return np.asarray(np.diag(own) + np.diag(beside[:-1], 1) + np.diag(beside[:-1], -1), dtype=np.float64)


def _first_log(matrix: Floats) -> float:
    """Return the first element of the logarithm of a matrix."""
    values, vectors = np.linalg.eigh(matrix)
    return float(vectors[0] ** 2 @ np.log(np.maximum(values, FAINT)))
