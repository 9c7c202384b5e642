"""The ranking of a run, by the options of its schedule."""

from __future__ import annotations

import json
from dataclasses import dataclass

from fiedler.support.errors import UsageError, WorkError
from fiedler.support.text import counted
from fiedler.tournament.pairing.expected import posterior_beside
from fiedler.tournament.ratings import Answer, Rating, document, rate_as, rate_by_original, table
from fiedler.tournament.ratings.look_alikes import look_alikes
from fiedler.tournament.ratings.posterior import Posterior, posterior_document, posterior_text
from fiedler.tournament.report.run import Run, distinct
from fiedler.tournament.run.conclusion import conclude
from fiedler.tournament.run.status import repeated_games, repeats


@dataclass(frozen=True)
class Ranking:
    """Ratings, their answer and their warnings."""

    rating: Rating
    backend: str
    warnings: tuple[str, ...]
    answer: Answer
    """The best player, as a sentence."""
    lag_credits: dict[str, float] | None
    """Mean lag credit by player, in milliseconds per move; None in a run without."""
    posterior: Posterior | None = None
    """The posterior ratings of `[rating] posterior`; None without the key, and where the games do not allow them."""

    @property
    def names(self) -> tuple[str, ...]:
        """The players from the best down."""
        return tuple(player.name for player in self.rating.players)


def rank(run: Run, *, with_posterior: bool = True) -> Ranking:
    """Rate the players of a run; if the original program fails, our own rates with a warning.

    Without `with_posterior` the time for the posterior ratings is saved.
    """
    rating, backend, trouble = _rate(run)
    alike = look_alikes(run.results.names)
    beside, refused = _posterior(run) if with_posterior else (None, [])
    warnings = distinct((*trouble, *about_games(run), *alike, *rating.warnings, *refused))
    answer = conclude(run.schedule, run.run_state, rating, run.results)
    return Ranking(rating, backend, warnings, answer, _lag_credits(run), beside)


def _posterior(run: Run) -> tuple[Posterior | None, list[str]]:
    """Return the posterior ratings, and their warnings or the reason why there are none."""
    if run.schedule.rating.posterior is None:
        return None, []
    try:
        found = posterior_beside(run.schedule.rating, run.results, [run.schedule])
    except UsageError as error:
        return None, [f"no posterior ratings: {error}"]
    return found, [f"posterior: {warning}" for warning in found.warnings]


def _lag_credits(run: Run) -> dict[str, float] | None:
    if not run.schedule.limit.lag_credit_ms:
        return None
    return {name: run.lag_credits.get(name, 0.0) for name in run.players}


def _rate(run: Run) -> tuple[Rating, str, tuple[str, ...]]:
    """Return the rating, its backend, and a warning if the original program failed."""
    section = run.schedule.rating
    trouble: tuple[str, ...] = ()
    if section.backend == "bayeselo" and run.finished:
        try:
            return rate_by_original(section, run.results), "bayeselo", ()
        except (UsageError, WorkError) as error:
            trouble = (f"rated by the builtin model, because the original program failed: {error}",)
    return rate_as(section, run.results), "builtin", trouble


def about_games(run: Run) -> list[str]:
    """Return the warnings about the games: some are missing, some repeat others."""
    lines = []
    left = run.counts.left
    if left:
        planned = counted(run.counts.planned, "game")
        lines.append(f"preliminary: {left} of {planned} {'is' if left == 1 else 'are'} not finished")
    repeated = repeated_games(run.games())
    if repeated:
        lines.append(repeats(repeated))
    return lines


def ranking_text(ranking: Ranking) -> str:
    """Return the file ranking.txt: the table, the answer, the warnings."""
    warnings = "".join(f"warning: {warning}\n" for warning in ranking.warnings)
    below = "" if ranking.posterior is None else f"\n{posterior_text(ranking.posterior)}\n"
    return f"{table(ranking.rating)}\n\n{ranking.answer.text}\n{warnings}{below}"


def ranking_json(ranking: Ranking) -> str:
    """Return the file ranking.json: the document of `tournament rank --json`, with the warnings about the run."""
    found = document(ranking.rating, ranking.answer, ranking.warnings)
    if ranking.lag_credits is not None:
        for player in found["players"]:
            player["lag_credit_ms"] = round(ranking.lag_credits[player["name"]], 3)
    if ranking.posterior is not None:
        found["posterior"] = posterior_document(ranking.posterior)
    return json.dumps(found, ensure_ascii=False, allow_nan=False) + "\n"
