"""report.html: the whole report in one self-contained file, pictures included."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from fiedler.games.scripts import plain
from fiedler.support.drawing import STYLE, nice
from fiedler.support.templates import templates
from fiedler.support.text import counted
from fiedler.tournament.report import fit_section, provenance_section
from fiedler.tournament.report.figure import Figure
from fiedler.tournament.report.findings import Findings
from fiedler.tournament.report.games_section import beginnings, behaviours, colours, endings
from fiedler.tournament.report.html import (
    HERE,
    TALL,
    PageSection,
    bold,
    definitions,
    paragraph,
    percent,
    picture,
    section,
)
from fiedler.tournament.report.nodes_section import nodes_section
from fiedler.tournament.report.posterior_section import posterior_section
from fiedler.tournament.report.standings import ranking_table, rating_note
from fiedler.tournament.report.viewer import games_viewer, viewer_script, viewer_style
from fiedler.tournament.report.words import WORDS
from fiedler.tournament.run.interim import progress_text


def page(found: Findings, figures: Mapping[str, Figure]) -> str:
    """Return the page."""
    games = games_viewer(found)
    script = plain((HERE / "page.js").read_text("utf-8"))
    return (
        templates(HERE)
        .get_template("page.html")
        .render(
            title=f"{found.run.name}: {found.run.game.name}",
            style=(HERE / "page.css").read_text("utf-8") + STYLE + (viewer_style() if games else ""),
            state=_state(found),
            answer=found.ranking.answer.text,
            warnings=found.warnings,
            tiles=_tiles(found),
            sections=[one for one in _sections(found, figures, games) if one is not None],
            scripts=[script, *([viewer_script()] if games else [])],
        )
    )


def _sections(
    found: Findings, figures: Mapping[str, Figure], games: PageSection | None
) -> Iterator[PageSection | None]:
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
    yield posterior_section(found.ranking.posterior)
    for name, (heading, caption) in _MATRICES.items():
        if name in figures:
            yield section(heading, picture(figures[name], caption))
        if name == "crosstable":
            yield games
    if found.analysis is not None and "fit" in figures:
        yield fit_section.fit_section(found.analysis, figures["fit"])
        yield fit_section.cyclic_section(found.analysis)
    yield colours(found, figures)
    yield beginnings(found, figures)
    yield endings(found)
    yield behaviours(found)
    yield nodes_section(found.run.nodes, found.run.untested)
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


def _sprt(found: Findings, figures: Mapping[str, Figure]) -> PageSection | None:
    if found.sprt is None or "sprt" not in figures:
        return None
    caption = "The log-likelihood ratio over the games in the order of the plan; the test ends outside the bounds."
    if (decision := found.run.decision) and decision.games < len(found.run.finished):
        caption += f" It rests on the first {counted(decision.games, 'game')}; the others were under way."
    answer = bold(found.ranking.answer.text)
    return section("Sequential test", answer, paragraph(found.sprt[0]), picture(figures["sprt"], caption))


def _state(found: Findings) -> str:
    run = found.run
    progress = progress_text(run.schedule.pairing, run.state, run.counts, is_all=bool(run.over))
    again = f"; to resume it: {run.command}" if run.state == "interrupted" and run.command else ""
    return f"{counted(len(run.players), 'player')}; {progress}{again}"


def _tiles(found: Findings) -> list[tuple[str, str]]:
    """Return the most important numbers, for large type, each with its meaning; none without games."""
    if not found.run.finished:
        return []
    players = found.ranking.rating.players
    best, outcomes = players[0], found.tally.outcomes
    errors = sorted(player.plus for player in players if player.games)
    return [
        (nice(best.elo), f"± {nice(best.plus)} Elo, the highest rating: {best.name}"),
        (
            f"{outcomes.games}",
            f"{'game' if outcomes.games == 1 else 'games'} played, {found.tally.lengths[1]:.0f} plies on average",
        ),
        (f"± {nice(errors[len(errors) // 2])}", "Elo, the median of the intervals"),
        (percent(outcomes.score, 1), f"score of the first player: {outcomes.text(1)}"),
        (percent(outcomes.draws / outcomes.games, 1), "of all games were drawn"),
    ]
