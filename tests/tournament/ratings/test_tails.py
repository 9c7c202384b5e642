"""The distribution functions against those of scipy."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from scipy import special

from fiedler.tournament.ratings.tails import chi_squared_tail, gamma_tail, normal_cdf


def test_the_normal_distribution_is_exact_far_out() -> None:
    values = np.linspace(-37, 37, 1000).reshape(20, 50)
    assert normal_cdf(values) == pytest.approx(special.ndtr(values), rel=1e-12, abs=0)


def test_the_ends_of_the_normal_distribution() -> None:
    assert normal_cdf(np.array([-np.inf, 0, np.inf, np.nan])) == pytest.approx([0, 0.5, 1, np.nan], nan_ok=True)


@pytest.mark.parametrize("shape", [0.3, 0.5, 1, 1.5, 2, 7, 33.3, 100, 4950])
def test_the_tail_of_a_gamma_distribution(shape: float) -> None:
    values = np.concatenate((np.logspace(-6, 4, 200), [shape, shape + 1, np.nextafter(shape + 1, 0)]))
    found = [gamma_tail(shape, value) for value in values.tolist()]
    assert found == pytest.approx(special.gammaincc(shape, values), rel=1e-10, abs=1e-290)


@pytest.mark.parametrize(("value", "chance"), [(-1.0, 1.0), (0.0, 1.0), (np.inf, 0.0), (np.nan, np.nan)])
def test_the_ends_of_a_tail(value: float, chance: float) -> None:
    assert gamma_tail(2.5, value) == pytest.approx(chance, nan_ok=True)


def test_the_tail_of_chi_squared() -> None:
    assert chi_squared_tail(3, 7.8147) == pytest.approx(special.chdtrc(3, 7.8147), rel=1e-12)


def test_a_ranking_does_without_scipy() -> None:
    code = (
        "import sys\n"
        "from fiedler.tournament.ratings import Results, rate\n"
        "rating = rate(Results(('a', 'b', 'c'), ((0, 1, 6, 1, 3), (1, 2, 5, 2, 2), (2, 0, 1, 0, 4))))\n"
        "rating.los()\n"
        "sys.exit('scipy' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
