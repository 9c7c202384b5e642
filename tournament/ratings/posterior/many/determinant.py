"""The logarithm of the determinant of a sparse matrix, by Lanczos quadrature of random vectors."""

from __future__ import annotations

import numpy as np

from tournament.ratings.pairs import Floats
from tournament.ratings.posterior.many.games import SparseExpansion

PROBES = 16
"""Random vectors."""
STEPS = 25
"""Nodes of the quadrature of each."""


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
    rest = _quadrature(times, signs) + once + twice / 2
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


def _quadrature(times: object, start: Floats) -> Floats:
    """Return vᵀ log(I − X) v for each column v of `start`."""
    assert callable(times)
    length = np.sqrt((start**2).sum(axis=0))
    before, now = np.zeros_like(start), start / length
    diagonal, beside = [], [np.zeros(start.shape[1])]
    for _ in range(STEPS):
        image = now - times(now) - beside[-1] * before
        diagonal.append((image * now).sum(axis=0))
        image -= diagonal[-1] * now
        beside.append(np.sqrt((image**2).sum(axis=0)))
        before, now = now, image / np.maximum(beside[-1], 1e-300)
    found = []
    for column in range(start.shape[1]):
        own = np.array([one[column] for one in diagonal])
        next_to = np.array([one[column] for one in beside[1:-1]])
        values, vectors = np.linalg.eigh(np.diag(own) + np.diag(next_to, 1) + np.diag(next_to, -1))
        found.append(length[column] ** 2 * float(vectors[0] ** 2 @ np.log(np.maximum(values, 1e-12))))
    return np.array(found)
