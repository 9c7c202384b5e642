"""The goodness of fit, as sections of the page."""

from __future__ import annotations

import math

from markupsafe import Markup

from fiedler.support.drawing import nice
from fiedler.support.text import counted, p_text
from fiedler.tournament.ratings import Calibration, FitAnalysis
from fiedler.tournament.report.figure import Figure
from fiedler.tournament.report.html import (
    PageSection,
    bold,
    columns,
    note,
    paragraph,
    percent,
    picture,
    section,
    table,
    verdict,
)

DOUBTFUL = 0.01
"""p-value below which the results contradict the model."""
NAMED = 1e-4
"""Least share of a named player in the equilibrium."""


def fit_section(found: FitAnalysis, figure: Figure) -> PageSection:
    """Return predicted against actual scores, and other models on the same games."""
    caption = "Games by their predicted score: on the diagonal the ratings were right; the bars are 95 % of chance."
    best = max(model.log_likelihood for model in found.fit.models)
    models = [
        [
            model.model,
            nice(model.advantage, 1),
            nice(model.draw_elo, 1),
            nice(model.log_likelihood, 1),
            nice(model.log_likelihood - best, 1),
        ]
        for model in found.fit.models
    ]
    header = ["model, fitted", "advantage", "draw Elo", "log-likelihood", "behind"]
    side = [
        _verdict("scores", found.fit.scores),
        _verdict("draws", found.fit.draws),
        _calibration("expected score", found.fit.scores),
        _calibration("expected draws", found.fit.draws),
    ]
    return section(
        "Fit",
        columns(picture(figure, caption), side),
        table(header, models),
        *([_paired(found)] if found.pairs is not None else []),
    )


def _verdict(what: str, found: Calibration) -> Markup:
    line = f"{what}: χ² = {nice(found.chi_square, 1)}, {_degrees(found.degrees)}, {p_text(found.p_value)}"
    if math.isnan(found.p_value):
        return paragraph(f"{line}: too few games for a test")
    return verdict(line, _judged(found.p_value, "differ by more than chance", "within chance"))


def _calibration(title: str, found: Calibration) -> Markup:
    rows = [
        [
            f"{nice(100 * row.low)}–{nice(100 * row.high)} %",
            str(row.games),
            percent(row.predicted, 1),
            percent(row.actual, 1),
            nice(100 * row.error, 1),
        ]
        for row in found.bins
    ]
    return table([title, "games", "predicted", "actual", "error"], rows, kind="")


def _paired(found: FitAnalysis) -> Markup:
    pairs = found.pairs
    assert pairs is not None
    counts = ", ".join(str(count) for count in pairs.pentanomial)
    factor = math.sqrt(pairs.variance_ratio)
    return note(
        f"{counted(pairs.pairs, 'pair')} of games of one opening with the colours reversed "
        f"({counted(pairs.single, 'game')} without a partner). The player ranked higher took 0, ½, 1, 1½, 2 points in "
        f"{counts} of them. Pairs scatter {nice(pairs.variance_ratio, 2)} times as much as independent games would: "
        f"true errors are about {nice(factor, 2)} times those shown."
    )


def cyclic_section(found: FitAnalysis) -> PageSection:
    """Return the cyclic part of the results, which ratings cannot express, and the Nash equilibrium."""
    cyclic = found.cyclic
    if cyclic.degrees:
        text = (
            f"Root mean square over the games: {nice(cyclic.cyclic)} Elo are cyclic, beside {nice(cyclic.gradient)} "
            f"that ratings express; chance alone would make {nice(cyclic.by_chance)} "
            f"({_degrees(cyclic.degrees)}, {p_text(cyclic.p_value)})."
        )
        judged = f"A beats B beats C beats A: {_judged(cyclic.p_value, 'more than chance', 'within chance')}"
    else:
        text, judged = "No cycle is possible: the meeting graph has none.", ""
    rows = [
        [
            " beats ".join((*cycle.players, cycle.players[0])),
            nice(cycle.elo),
            nice(cycle.sigmas, 1),
        ]
        for cycle in cyclic.cycles
    ]
    shares = sorted((player for player in found.nash if player.share >= NAMED), key=lambda player: -player.share)
    nash = [[player.name, percent(player.share, 1), percent(player.score, 1)] for player in shares]
    return section(
        "Cyclic part",
        *([bold(judged)] if judged else []),
        paragraph(text),
        *([table(["strongest cycles of three", "Elo around", "standard errors"], rows)] if rows else []),
        *([table(["Nash equilibrium", "share", "score against it"], nash)] if nash else []),
        note(
            "The equilibrium is the best mixture of players to choose if the opponent chooses just as well."
            if nash
            else "There is no Nash equilibrium of players that fall into groups that never met."
        ),
    )


def _degrees(count: int) -> str:
    return f"{counted(count, 'degree')} of freedom"


def _judged(p_value: float, beyond: str, within: str) -> str:
    """Return the judgement of a test with its threshold."""
    return f"{beyond} (p < {DOUBTFUL:g})" if p_value < DOUBTFUL else f"{within} (p is not below {DOUBTFUL:g})"
