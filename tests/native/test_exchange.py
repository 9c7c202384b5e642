"""The exchange of edges against plain linear algebra."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from fiedler.native import Exchange, order_units

Array = NDArray[np.float64]


def ring(nodes: int) -> NDArray[np.int32]:
    """A ring with chords, as orbits i, j, 0."""
    edges = {tuple(sorted((i, (i + step) % nodes))) for i in range(nodes) for step in (1, 3)}
    return np.array([(i, j, 0) for i, j in sorted(edges)], dtype=np.int32)


def covariance(orbits: NDArray[np.int32], weights: Array, level: float) -> Array:
    """(L - level)^-1 on the space orthogonal to the ones vector."""
    n = len(weights)
    matrix = np.zeros((n, n))
    for i, j, _ in orbits:
        matrix[i, j] -= weights[i, j]
        matrix[j, i] -= weights[i, j]
    matrix -= np.diag(matrix.sum(axis=1))
    vectors = np.linalg.eigh(matrix)
    values = vectors[0][1:] - level
    return np.asarray((vectors[1][:, 1:] / values) @ vectors[1][:, 1:].T)


def weights_of(nodes: int) -> Array:
    drawn = np.random.default_rng(1).uniform(0.5, 2.0, (nodes, nodes))
    return np.asarray(drawn + drawn.T)


def caps(nodes: int, cap: int) -> NDArray[np.int32]:
    return np.full(nodes, cap, dtype=np.int32)


NOTHING = np.zeros((0, 3), dtype=np.int32)


@pytest.mark.parametrize(
    ("level", "temperature", "by_determinant"), [(0.0, 0.05, False), (0.2, 0.05, False), (0.0, 0.05, True)]
)
def test_covariance_follows_the_moves(level: float, temperature: float, by_determinant: bool) -> None:
    nodes, start, weights = 12, ring(12), weights_of(12)
    core = Exchange(nodes, 1, caps(nodes, 6), start, NOTHING, 3, weights=weights)
    inverse = covariance(start, weights, level)[None]
    before = inverse[0].copy()
    square = inverse @ inverse
    trials, accepts, lowest = core.walk(inverse, square, temperature, 2000, 2000, by_determinant)
    assert trials == 2000
    assert accepts > 20
    assert np.allclose(inverse[0], covariance(core.chosen, weights, level), rtol=1e-6, atol=1e-8)
    assert np.allclose(square[0], inverse[0] @ inverse[0], rtol=1e-6, atol=1e-8)
    best = covariance(core.best, weights, level)
    if not by_determinant:
        assert lowest == pytest.approx(np.log(best.trace() / before.trace()), abs=1e-8)
    else:
        heights = [np.sum(np.log(np.sort(np.linalg.eigvalsh(matrix))[1:])) for matrix in (best, before)]
        assert lowest == pytest.approx(heights[0] - heights[1], abs=1e-8)


def test_constraints_are_kept() -> None:
    nodes, start = 14, ring(14)
    forbidden = np.zeros((nodes, nodes), dtype=bool)
    forbidden[0, 5] = forbidden[5, 0] = True
    core = Exchange(nodes, 1, caps(nodes, 5), start[3:], start[:3], 0, forbidden=forbidden)
    weights = np.ones((nodes, nodes))
    inverse = covariance(start, weights, -0.1)[None]
    core.walk(inverse, inverse @ inverse, 0.5, 5000, 5000)
    found = [tuple(row) for row in np.concatenate([core.chosen, start[:3]]).tolist()]
    assert len(set(found)) == len(start)
    assert (0, 5, 0) not in found
    assert np.bincount(np.array(found)[:, :2].ravel()).max() <= 5
    assert all(i < j for i, j, _ in found)


def test_an_orbit_has_all_its_edges() -> None:
    """An exchange of orbits updates the complex blocks like an exchange of their edges updates the whole matrix."""
    s, k = 3, 7
    start = np.array([(0, 1, 0), (1, 2, 2), (0, 2, 3), (0, 0, 1), (1, 1, 2), (2, 2, 3)], dtype=np.int32)
    core = Exchange(s, k, caps(s, 4), start, NOTHING, 5)

    def blocks(orbits: NDArray[np.int32]) -> NDArray[np.complex128]:
        edges = {
            (min(u, v), max(u, v))
            for i, j, t in orbits
            for a in range(k)
            for u, v in [(i * k + a, j * k + (a + t) % k)]
        }
        matrix = covariance(np.array([(*edge, 0) for edge in edges]), np.ones((s * k, s * k)), -0.5)
        phases = np.exp(-2j * np.pi * np.arange(k)[:, None] * np.arange(k)[None] / k) / np.sqrt(k)
        basis = np.kron(np.eye(s), phases)
        turned = (basis @ matrix @ basis.conj().T).reshape(s, k, s, k)
        return np.ascontiguousarray([turned[:, f, :, f] for f in range(k // 2 + 1)])

    inverse = blocks(start)
    square = inverse @ inverse
    _, accepts, _ = core.walk(inverse, square, 0.2, 500, 500)
    assert accepts > 5
    assert np.allclose(inverse, blocks(core.chosen))
    assert np.allclose(square, inverse @ inverse)


def test_an_edge_may_repeat_if_asked() -> None:
    start = np.array([(0, 1, 0)] * 5 + [(1, 2, 0)], dtype=np.int32)
    core = Exchange(3, 1, caps(3, 9), start, NOTHING, 1, repeats=True)
    inverse = covariance(start, np.ones((3, 3)), 0.0)[None]
    core.walk(inverse, inverse @ inverse, 1e-6, 3000, 3000)
    counts = np.unique(core.best, axis=0, return_counts=True)[1]
    assert sorted(counts.tolist()) == [2, 2, 2]  # six games of three equals


@pytest.mark.parametrize("bad", [[(1, 0, 0)], [(0, 0, 0)], [(0, 9, 0)], [(0, 1, 1)]])
def test_a_wrong_edge_is_refused(bad: list[tuple[int, int, int]]) -> None:
    with pytest.raises(ValueError, match="movable"):
        Exchange(4, 1, caps(4, 3), np.array(bad, dtype=np.int32), NOTHING, 0)
    with pytest.raises(ValueError, match="cap"):
        Exchange(4, 1, caps(3, 3), NOTHING, NOTHING, 0)


def test_the_order_takes_the_most_informative_unit_first() -> None:
    inverse = 100.0 * np.eye(4)
    edges = np.array([(0, 1, 1), (1, 2, 1), (2, 3, 2), (0, 3, 2)], dtype=np.int32)
    order = order_units(inverse, inverse @ inverse, edges, np.array([1.0, 1.0, 5.0, 1.0])).tolist()
    assert order[0] == 2
    assert sorted(order) == [0, 1, 2, 2, 3, 3]
    with pytest.raises(ValueError, match="edges"):
        order_units(np.eye(2), np.eye(2), np.array([(0, 2, 1)], dtype=np.int32), np.ones(1))
