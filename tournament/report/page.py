"""report.html: the whole report in one self-contained file, pictures included."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from html import escape
from pathlib import Path

from games.scripts import plain
from support.drawing import STYLE, nice
from support.text import counted
from tournament.report import fit_section, provenance_section
from tournament.report.figure import Figure
from tournament.report.findings import Findings
from tournament.report.games_section import beginnings, behaviours, colours, endings
from tournament.report.html import TALL, anchor, definitions, note, paragraph, percent, picture, section
from tournament.report.standings import ranking_table, rating_note
from tournament.report.viewer import games_viewer, viewer_script, viewer_style
from tournament.report.words import WORDS
from tournament.run.interim import progress_text

_HERE = Path(__file__).parent
_TITLE = re.compile(r'<section id="[^"]*">\n<h2>(.*?)</h2>')

_HEAD = """<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title>
<style>
{style}</style>
</head>
<body>
"""


def page(found: Findings, figures: Mapping[str, Figure]) -> str:
    """Return the page."""
    title = f"{found.run.name}: {found.run.game.name}"
    viewer = games_viewer(found)
    style = (_HERE / "page.css").read_text("utf-8") + STYLE + (viewer and viewer_style())
    sections = [text for text in _sections(found, figures, viewer) if text]
    titles = [match[1] for text in sections if (match := _TITLE.match(text))]
    links = "".join(f'<a href="#{anchor(_plain(one))}">{one}</a>\n' for one in titles)
    parts = [
        _HEAD.format(title=escape(title), style=style),
        f"<header><h1>{escape(title)}</h1>",
        note(_state(found)),
        paragraph(f"{found.ranking.answer.text}.", "answer"),
        *(paragraph(warning, "warning") for warning in found.warnings),
        _tiles(found),
        f"<nav>{links}</nav></header>",
        *sections,
        f"<script>\n{plain((_HERE / 'page.js').read_text('utf-8'))}</script>",
        *([f"<script>\n{viewer_script()}</script>"] if viewer else []),
        "</body>\n</html>\n",
    ]
    return "\n".join(parts)


def _sections(found: Findings, figures: Mapping[str, Figure], viewer: str) -> Iterator[str]:
    if "curve" in figures:
        best = "; ".join(f"{one.stem}…: {one.summary}" for one in found.series)
        caption = f"The learning curve, with the interval of each rating as a band. {best}. Dashed: other players."
        yield section("Rating over checkpoints", picture(figures["curve"], caption))
    yield _sprt(found, figures)
    yield section(
        "Ranking",
        ranking_table(found.ranking, found.run.marks),
        rating_note(found.ranking),
        *([picture(figures["ratings"], "All players at a glance.")] if len(found.ranking.names) > TALL else []),
    )
    for name, (heading, caption) in _MATRICES.items():
        if name in figures:
            yield section(heading, picture(figures[name], caption))
        if name == "crosstable":
            yield viewer
    if found.analysis is not None and "fit" in figures:
        yield fit_section.fit_section(found.analysis, figures["fit"])
        yield fit_section.cyclic_section(found.analysis)
    yield colours(found, figures)
    yield beginnings(found, figures)
    yield endings(found)
    yield behaviours(found)
    yield provenance_section.steps_section(found.run)
    yield provenance_section.origin_section(found)
    yield section("Words", definitions(WORDS))


_MATRICES = {
    "los": (
        "Likelihood of superiority",
        "The probability, given all games, that the player on the left is stronger than the one above; from the full "
        "covariance of the ratings, whether or not the two have met.",
    ),
    "crosstable": (
        "Crosstable",
        "Wins, draws and losses of the player on the left against the one above; empty: the two did not meet.",
    ),
    "meeting-graph": (
        "Meeting graph",
        "Players clockwise from the best, a line for each pair that met. λ2 is the algebraic connectivity (Fiedler "
        "value): the larger it is, the better all players are compared, also indirectly.",
    ),
}


def _sprt(found: Findings, figures: Mapping[str, Figure]) -> str:
    if found.sprt is None or "sprt" not in figures:
        return ""
    caption = "The log-likelihood ratio over the games in the order of the plan; the test ends outside the bounds."
    if (decision := found.run.decision) and decision.games < len(found.run.finished):
        caption += f" It rests on the first {counted(decision.games, 'game')}; the others were under way."
    verdict = f"<p><b>{escape(found.ranking.answer.text)}</b></p>"
    return section("Sequential test", verdict, paragraph(found.sprt[0]), picture(figures["sprt"], caption))


def _state(found: Findings) -> str:
    run = found.run
    progress = progress_text(run.schedule.pairing, run.state, run.counts, is_all=bool(run.over))
    again = f"; to resume it: {run.command}" if run.state == "interrupted" and run.command else ""
    return f"{counted(len(run.players), 'player')}; {progress}{again}"


def _tiles(found: Findings) -> str:
    """Return the most important numbers in large type."""
    if not found.run.finished:
        return paragraph("No games yet.")
    players = found.ranking.rating.players
    best, outcomes = players[0], found.tally.outcomes
    errors = sorted(player.plus for player in players if player.games)
    tiles = [
        (nice(best.elo), f"± {nice(best.plus)} Elo, the highest rating: {best.name}"),
        (
            f"{outcomes.games}",
            f"{'game' if outcomes.games == 1 else 'games'} played, {found.tally.lengths[1]:.0f} plies on average",
        ),
        (f"± {nice(errors[len(errors) // 2])}", "Elo, the median of the intervals"),
        (percent(outcomes.score, 1), f"score of the first player: {outcomes.text(1)}"),
        (percent(outcomes.draws / outcomes.games, 1), "of all games were drawn"),
    ]
    made = (
        f'<div class="tile"><b title="{escape(large)}">{escape(large)}</b><span>{escape(small)}</span></div>'
        for large, small in tiles
    )
    return f'<div class="tiles">{"".join(made)}</div>'


def _plain(text: str) -> str:
    return re.sub(r"&\w+;", "", text)
