"""The posterior ratings as a section of the page."""

from __future__ import annotations

from fiedler.support.drawing import nice
from fiedler.tournament.ratings.posterior import Posterior, posterior_heading
from fiedler.tournament.report.html import PageSection, Row, note, paragraph, section, table


def posterior_section(found: Posterior | None) -> PageSection | None:
    """Return all that is assumed, and the players by falling elo; None without a posterior."""
    if found is None:
        return None
    curve = any(player.curve is not None for player in found.players)
    header = ["#", "player", "Elo", "sd", *(["curve", "curve sd"] if curve else [])]
    rows: list[Row] = []
    for rank, player in enumerate(found.players, start=1):
        more = [_number(value) for value in (player.curve, player.curve_sd)] if curve else []
        rows.append([str(rank), player.name, nice(player.elo), nice(player.sd), *more])
    assumption, evidence, caution = posterior_heading(found)
    return section(
        "Posterior ratings", paragraph(assumption), note(evidence), table(header, rows, left=2), note(caution)
    )


def _number(value: float | None) -> str:
    return "" if value is None else nice(value)
