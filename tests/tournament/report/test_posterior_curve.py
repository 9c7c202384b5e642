"""The curve figure with a posterior: its points, its curve and the band, and the columns of its numbers."""

from __future__ import annotations

import numpy as np
import pytest

from fiedler.support.drawing import STYLE
from fiedler.tournament.ratings import rate_as
from fiedler.tournament.ratings.posterior import posterior
from fiedler.tournament.ratings.series import find_series
from fiedler.tournament.report.curve_figure import curve_figure
from fiedler.tournament.schedule.schedule import RatingSection
from tests.tournament.ratings.posterior_cases import played


@pytest.mark.slow
def test_the_curve_of_the_prior_is_drawn_with_its_band() -> None:
    section = RatingSection()
    names = [*(f"net-{number:03d}" for number in range(22)), "random", "negamax"]
    truth = np.append(800 * (1 - np.exp(-np.arange(22) / 5)), [0.0, 500.0])
    results = played(truth, 1, 1, names)
    rating, beside = rate_as(section, results), posterior(results, kind="curve", options=section)
    series = find_series(rating.players)
    others = [player for player in rating.players if not player.name.startswith("net-")]
    plain, figure = (curve_figure(series, others, "t", one) for one in (None, beside))
    assert plain.columns == figure.columns[:6]
    assert [row[:6] for row in figure.rows] == list(plain.rows)
    assert figure.columns[6:] == ("posterior", "posterior_sd", "curve", "curve_sd")
    assert all(value is not None for row in figure.rows[:22] for value in row[6:])
    assert [row[8:] for row in figure.rows[22:]] == [(None, None)] * 2, "other players have no curve"
    assert figure.svg.count(", posterior: ") == 22
    bands = [one.count('"band fill') - STYLE.count('"band fill') for one in (plain.svg, figure.svg)]
    assert bands == [1, 2]
