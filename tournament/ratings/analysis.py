"""The analyses below a ranking: as text, and as keys of the JSON document."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from fiedler.support.errors import printable
from fiedler.support.numbers import without_nan
from fiedler.support.text import chance, counted
from fiedler.tournament.ratings.colour_pairs import PairedErrors, PlayedGame, paired_errors
from fiedler.tournament.ratings.cyclic import Cyclic, cyclic
from fiedler.tournament.ratings.fit import Calibration, Fit, fit
from fiedler.tournament.ratings.model import Rating
from fiedler.tournament.ratings.nash import NashPlayer, nash
from fiedler.tournament.ratings.pairs import Floats
from fiedler.tournament.ratings.results import Results

SHOWN = 1e-4
"""Share of the equilibrium from which a player is listed."""


@dataclass(frozen=True, slots=True, eq=False)
class FitAnalysis:
    """The fit of ratings to their results."""

    fit: Fit
    pairs: PairedErrors | None
    """None if no two games are known to be a pair of one opening."""
    cyclic: Cyclic
    nash: tuple[NashPlayer, ...]
    """Empty if groups of players never met."""


def analyse(rating: Rating, results: Results, prior: float, games: Iterable[PlayedGame] = ()) -> FitAnalysis:
    """Compare a rating with its results.

    Parameters
    ----------
    rating : Rating
        The rating of `results`.
    results : Results
        All games.
    prior : float
        Virtual draws per player in the fits of the other models, at least 0.
    games : iterable of (first, second, opening, result), optional
        The same games one by one, if their openings are known.

    Returns
    -------
    FitAnalysis

    Examples
    --------
    >>> from fiedler.tournament.ratings import Results, analyse, rate
    >>> results = Results(("Ann", "Bob"), ((0, 1, 6, 3, 1), (1, 0, 4, 2, 4)))
    >>> found = analyse(rate(results), results, 2.0)
    >>> found.cyclic.degrees, [round(player.share, 2) for player in found.nash]
    (0, [1.0, 0.0])

    """
    return FitAnalysis(
        fit(rating, results, prior), paired_errors(rating, games), cyclic(rating, results), nash(rating, results)
    )


def fit_document(analysis: FitAnalysis) -> dict[str, Any]:
    """Return the keys `fit`, `cyclic` and `nash` of the JSON document; an unknown number is null."""
    paired = {"pairs": asdict(analysis.pairs)} if analysis.pairs else {}
    found = {
        "fit": {**asdict(analysis.fit), **paired},
        "cyclic": asdict(analysis.cyclic),
        "nash": [asdict(player) for player in analysis.nash],
    }
    known: dict[str, Any] = without_nan(found)
    return known


def los_text(rating: Rating, los: Floats) -> str:
    """Return the likelihood of superiority as a table of whole percent.

    Parameters
    ----------
    rating : Rating
        The N players of the rows and columns.
    los : ndarray of float64, shape (N, N)
        P(row stronger than column), 0 to 1; nan if unknown.

    Returns
    -------
    str
        A header and N lines, without a final newline.

    Examples
    --------
    >>> from fiedler.tournament.ratings import Results, los_text, rate
    >>> rating = rate(Results(("Ann", "Bob"), ((0, 1, 6, 3, 1), (1, 0, 4, 2, 4))))
    >>> print(los_text(rating, rating.los()))
    LOS    1  2
    1 Ann    88
    2 Bob 12

    """
    names = [printable(player.name) for player in rating.players]
    header = ["LOS", *(str(rank) for rank in range(1, len(names) + 1))]
    rows = [
        [f"{rank} {name}", *("" if row == place else chance(value) for place, value in enumerate(los[row]))]
        for row, (rank, name) in enumerate(zip(range(1, len(names) + 1), names, strict=True))
    ]
    return columns([header, *rows])


def analysis_text(analysis: FitAnalysis) -> str:
    """Return the tables of `--fit`, with empty lines between them."""
    parts = [
        _calibration("expected score", "score", analysis.fit.scores),
        _calibration("expected draws", "draws", analysis.fit.draws),
        _models(analysis.fit),
        *([_paired(analysis.pairs)] if analysis.pairs else []),
        _cyclic(analysis.cyclic),
        _nash(analysis.nash),
    ]
    return "\n\n".join(parts)


def _calibration(title: str, what: str, found: Calibration) -> str:
    rows = [
        [
            f"{100 * row.low:.0f}-{100 * row.high:.0f}%",
            str(row.games),
            f"{100 * row.predicted:.1f}%",
            f"{100 * row.actual:.1f}%",
            f"{100 * row.error:.1f}",
        ]
        for row in found.bins
    ]
    table = columns([[title, "games", "predicted", what, "error"], *rows])
    return f"{table}\nchi-square {found.chi_square:.1f}, {_degrees(found.degrees)}, p = {_chance(found.p_value)}"


def _models(found: Fit) -> str:
    best = max(model.log_likelihood for model in found.models)
    rows = [
        [
            model.model,
            f"{model.advantage:.1f}",
            f"{model.draw_elo:.1f}",
            f"{model.log_likelihood:.1f}",
            f"{model.log_likelihood - best:.1f}",
        ]
        for model in found.models
    ]
    return columns([["model, fitted", "advantage", "draw Elo", "log-likelihood", "behind"], *rows])


def _paired(found: PairedErrors) -> str:
    counts = " ".join(str(count) for count in found.pentanomial)
    line = (
        f"{counted(found.pairs, 'pair')} of an opening, {counted(found.single, 'game')} without a partner; "
        f"points of the higher ranked, 0 to 2: {counts}"
    )
    if math.isnan(found.variance_ratio):
        return line
    return (
        f"{line}\npairs scatter {found.variance_ratio:.2f} times as much as independent games: "
        f"true errors are about {math.sqrt(found.variance_ratio):.2f} times those shown"
    )


def _cyclic(found: Cyclic) -> str:
    if not found.degrees:
        return "cyclic part: unknown, no three or more players met in a cycle"
    lines = [
        f"cyclic part: {found.cyclic:.0f} Elo beside {found.gradient:.0f} of the ratings; by chance "
        f"{found.by_chance:.0f}, {_degrees(found.degrees)}, p = {_chance(found.p_value)}"
    ]
    for cycle in found.cycles:
        names = " beats ".join(printable(name) for name in (*cycle.players, cycle.players[0]))
        lines.append(f"  {names}: {cycle.elo:.0f} Elo, {cycle.sigmas:.1f} standard errors")
    return "\n".join(lines)


def _nash(found: Sequence[NashPlayer]) -> str:
    if not found:
        return "Nash equilibrium: unknown, the players fall into groups that never met"
    rows = [
        [printable(player.name), f"{100 * player.share:.1f}%", f"{100 * player.score:.1f}%"]
        for player in sorted(found, key=lambda player: -player.share)
        if player.share >= SHOWN
    ]
    return columns([["Nash equilibrium", "share", "score"], *rows])


def columns(rows: Sequence[Sequence[str]]) -> str:
    """Return rows of cells in columns: the first aligned left, the others right."""
    from rich.cells import cell_len

    widths = [max(cell_len(row[place]) for row in rows) for place in range(len(rows[0]))]
    lines = []
    for row in rows:
        padding = [" " * (width - cell_len(cell)) for width, cell in zip(widths, row, strict=True)]
        cells = [row[0] + padding[0], *(space + cell for space, cell in zip(padding[1:], row[1:], strict=True))]
        lines.append(" ".join(cells).rstrip())
    return "\n".join(lines)


def _degrees(count: int) -> str:
    return f"{counted(count, 'degree')} of freedom"


def _chance(p_value: float) -> str:
    return "?" if math.isnan(p_value) else f"{p_value:.2g}"
