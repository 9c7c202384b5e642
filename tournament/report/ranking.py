"""The ranking of a run, by the options of its schedule."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from support.errors import UsageError, WorkError
from tournament.ratings import Answer, Rating, find_bayeselo, playing, rate, rate_with_bayeselo, table
from tournament.ratings.document import document
from tournament.report.run import Run, distinct
from tournament.run.conclusion import Standing, conclude
from tournament.run.status import repeated_games, repeats
from tournament.schedule.schedule import Rating as Wishes


@dataclass(frozen=True)
class Ranking:
    """Ratings and what a reader of them must know."""

    rating: Rating
    backend: str
    warnings: tuple[str, ...]
    answer: Answer
    """Who is best, as a sentence."""

    @property
    def names(self) -> tuple[str, ...]:
        """The players from the best down."""
        return tuple(player.name for player in self.rating.players)


def rank(run: Run) -> Ranking:
    """Rate the players of a run; where the original program was asked for and fails, ours steps in with a warning."""
    wishes = run.schedule.rating
    rating, backend, trouble = _rate(run, wishes)
    warnings = distinct((*trouble, *_about_games(run), *rating.warnings))
    standing = Standing(run.over, run.decision is not None, run.benched.keys())
    return Ranking(rating, backend, warnings, conclude(run.schedule, standing, rating, run.results))


def _rate(run: Run, wishes: Wishes) -> tuple[Rating, str, tuple[str, ...]]:
    options: dict[str, Any] = {
        "advantage": wishes.advantage,
        "draw_elo": wishes.draw_elo,
        "prior": wishes.prior,
        "anchors": playing(wishes.anchor, run.results),
    }
    trouble: tuple[str, ...] = ()
    if wishes.backend == "bayeselo" and run.finished:
        try:
            program = find_bayeselo()
            return rate_with_bayeselo(run.results, program=program, **options), "bayeselo", ()
        except (UsageError, WorkError) as error:
            trouble = (f"rated by the builtin model, because the original program failed: {error}",)
    return rate(run.results, model=wishes.model, imitate=wishes.imitate, **options), "builtin", trouble


def _about_games(run: Run) -> list[str]:
    lines = []
    left = run.counts.left
    if left:
        lines.append(f"preliminary: {left} of {run.counts.scheduled} games {'is' if left == 1 else 'are'} not finished")
    repeated = repeated_games(run.games())
    if repeated:
        lines.append(repeats(repeated))
    return lines


def ranking_text(ranking: Ranking) -> str:
    """Return the file ranking.txt: the table, the answer, the warnings."""
    warnings = "".join(f"warning: {warning}\n" for warning in ranking.warnings)
    return f"{table(ranking.rating)}\n\n{ranking.answer.text}\n{warnings}"


def ranking_json(ranking: Ranking) -> str:
    """Return the file ranking.json: what `tournament rank --json` prints, with the warnings about the run."""
    found = document(ranking.rating, ranking.answer, list(ranking.warnings))
    return json.dumps(found, ensure_ascii=False, allow_nan=False) + "\n"
