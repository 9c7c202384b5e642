"""The section about the fit: counts with their plural, judgements with their threshold."""

from __future__ import annotations

import pytest

from fiedler.tournament.ratings import analyse, analysis_text, rate
from fiedler.tournament.report.fit_section import _judged, _paired
from tests.tournament.ratings.test_answer import among


def test_a_game_without_a_partner_is_one_game() -> None:
    results = among([0.0, 0.0], 5)
    one, other = "net-0", "net-1"
    games = [(one, other, ("x",), "1-0"), (other, one, ("x",), "1-0"), (one, other, ("y",), "1-0")]
    found = analyse(rate(results), results, 2.0, games)
    for text in (_paired(found), analysis_text(found)):
        assert "1 pair of " in text
        assert "1 game without a partner" in text
        assert "1 pairs" not in text


@pytest.mark.parametrize(
    ("p_value", "text"),
    [
        (0.044, "within chance (p is not below 0.01)"),
        (0.01, "within chance (p is not below 0.01)"),
        (0.004, "beyond (p < 0.01)"),
    ],
)
def test_a_judgement_names_its_threshold(p_value: float, text: str) -> None:
    assert _judged(p_value, "beyond", "within chance") == text
