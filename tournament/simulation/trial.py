"""One tournament without engines: paired, played, rated, and compared with the truth."""

from __future__ import annotations

import math
import time
from collections import Counter
from collections.abc import Sequence

import numpy as np
from msgspec import Struct
from msgspec.structs import replace
from threadpoolctl import threadpool_limits

from fiedler.tournament.graph.spectrum import rms_error
from fiedler.tournament.pairing import Planner
from fiedler.tournament.pairing.expected import expected_strengths
from fiedler.tournament.pairing.goal import GoalPlanner
from fiedler.tournament.pairing.sprt import SprtPlanner
from fiedler.tournament.ratings import Results, rate_as
from fiedler.tournament.ratings.likelihood import information
from fiedler.tournament.ratings.model import DEFAULT_ADVANTAGE, DEFAULT_DRAW_ELO
from fiedler.tournament.ratings.pairs import Pairs
from fiedler.tournament.ratings.posterior import PriorKind
from fiedler.tournament.schedule.schedule import POSTERIOR, RatingSection, Schedule
from fiedler.tournament.simulation.chosen import ChosenPlayer, ChosenPlayers
from fiedler.tournament.simulation.estimate import Judge, JudgedRatings, PosteriorNumbers, standard_error
from fiedler.tournament.simulation.play import SimulatedPlayers, counted_results, play_steps
from fiedler.tournament.simulation.population import Floats, Population
from fiedler.tournament.simulation.schemes import Case, Scheme

_MEANS = ("games", "pairs", "rms", "worst", "predicted", "tau", "seconds", "coverage", "loss")
"""Fields of a trial whose means are fields of a summary."""
ACCEPTED = ("H1", "H0", "neither")
"""The possible ends of a sequential test."""
PRIOR_SD = 100.0
"""Default standard deviation of the prior ratings from the truth, in Elo."""


class Trial(Struct, frozen=True):
    """The numbers of one repetition. Elo is raw; errors are relative to equal means of ratings and truth."""

    games: int
    pairs: int
    rms: float
    worst: float
    predicted: float
    """RMS error predicted from the games and the true strengths: √(tr L⁺ / N)."""
    tau: float
    """Kendall's τ between the ranking and the truth."""
    seconds: float
    accepted: str | None = None
    """The end of a sequential test: `H1`, `H0` or `neither`."""
    coverage: float = math.nan
    """Share of the players within their 95 % intervals."""
    loss: float = math.nan
    """True Elo that the best player of the ranking lacks to the truly best."""
    posterior: PosteriorNumbers | None = None
    chosen: ChosenPlayer | None = None
    """The player that a goal chooses."""


class Summary(Struct, frozen=True):
    """Means over the repetitions of a method."""

    method: str
    label: str
    repetitions: int
    rms: float
    rms_se: float | None
    """Standard error of `rms`; None after one repetition."""
    predicted: float
    tau: float
    worst: float
    games: float
    pairs: float
    seconds: float
    """Seconds of one repetition on one core."""
    games_sd: float | None
    """Standard deviation of `games`, 0 if results cannot change them; None after one repetition."""
    games_least: int
    games_most: int
    accepted: dict[str, int] | None
    """Number of repetitions of a sequential test that accepted `H1`, `H0` and `neither`."""
    coverage: float = math.nan
    loss: float = math.nan
    posterior: PosteriorNumbers | None = None
    chosen: ChosenPlayers | None = None

    @classmethod
    def of(cls, name: str, label: str, trials: Sequence[Trial]) -> Summary:
        """Return the summary of the repetitions of a method."""
        mean = {key: float(np.mean([getattr(trial, key) for trial in trials])) for key in _MEANS}
        errors, games = [trial.rms for trial in trials], [trial.games for trial in trials]
        several = len(trials) > 1
        accepted = Counter(trial.accepted for trial in trials if trial.accepted)
        return cls(
            method=name,
            label=label,
            repetitions=len(trials),
            rms_se=standard_error(errors),
            games_sd=float(np.std(games, ddof=1)) if several else None,
            games_least=min(games),
            games_most=max(games),
            accepted={kind: accepted[kind] for kind in ACCEPTED} if accepted else None,
            chosen=ChosenPlayers.of([trial.chosen for trial in trials if trial.chosen is not None]),
            posterior=PosteriorNumbers.mean([trial.posterior for trial in trials if trial.posterior is not None]),
            **mean,
        )


class Conditions(Struct, frozen=True):
    """The conditions of planning and playing. For the same seed and repetition all methods have the same ones."""

    schedule: Schedule
    population: Population
    games: int
    """Number of games of all methods but that of the schedule."""
    seed: int = 0
    prior_sd: float | None = None
    """Standard deviation of the prior ratings from the truth in Elo; None: `elo_sd` of the players, or 100."""
    style_sd: float = 0.0
    """Standard deviation of every pair's result from the ratings, in Elo."""
    posterior: PriorKind | None = None
    """The prior of posterior ratings beside the table."""
    plan: str = POSTERIOR
    """`plan` of the method adaptive."""
    plays_on: bool = False
    """Whether games are played after a decision, up to the number of games."""


def run_trial(name: str, scheme: Scheme, conditions: Conditions, repetition: int) -> Trial:
    """Return one repetition: pairing, games, ratings and their errors."""
    started = time.perf_counter()
    common = np.random.default_rng([conditions.seed, repetition])
    elo = conditions.population.draw(common)
    schedule = _with_prior(conditions, elo, common, repetition)
    style = np.triu(common.normal(0, 1, (elo.size, elo.size)), 1) * conditions.style_sd
    chance = np.random.default_rng([conditions.seed, repetition, *name.encode()])
    section = conditions.schedule.rating
    field = SimulatedPlayers(schedule.names, elo, style - style.T, *_parameters(section), chance, section.model)
    known = expected_strengths(schedule.players) if scheme.informed else None
    judge = Judge(field, section, conditions.posterior, known)
    with threadpool_limits(limits=1, user_api="blas"):
        pairing = scheme.pair(Case(schedule, conditions.games, chance, conditions.plan))
        if not isinstance(pairing, Planner):
            return _measured(field.play_counts(pairing), judge, started)
        history = play_steps(pairing, field, plays_on=conditions.plays_on)
        trial = _measured(counted_results(field.names, history.finished), judge, started)
        if isinstance(pairing, GoalPlanner):
            return replace(trial, chosen=ChosenPlayer.of(pairing, history, field))
        if isinstance(pairing, SprtPlanner):
            return replace(trial, accepted=pairing.accepted(history) or "neither")
        return trial


def _with_prior(conditions: Conditions, elo: Floats, random: np.random.Generator, repetition: int) -> Schedule:
    """Return the schedule for pairing: the `elo` of each player is the truth plus a random error of known size."""
    schedule = conditions.schedule
    sizes = [
        conditions.prior_sd if conditions.prior_sd is not None else player.elo_sd or PRIOR_SD
        for player in schedule.players
    ]
    prior = (elo + random.normal(0, 1, elo.size) * sizes).tolist()
    players = tuple(
        replace(player, elo=value, elo_sd=size or None)
        for player, value, size in zip(schedule.players, prior, sizes, strict=True)
    )
    tournament = replace(schedule.tournament, seed=(schedule.tournament.seed + conditions.seed + repetition) % 2**63)
    return replace(schedule, players=players, tournament=tournament)


def _parameters(section: RatingSection) -> tuple[float, float]:
    """Return advantage and draw_elo of the games; fitted parameters have their defaults."""
    advantage = DEFAULT_ADVANTAGE if isinstance(section.advantage, str) else section.advantage
    draw_elo = DEFAULT_DRAW_ELO if isinstance(section.draw_elo, str) else section.draw_elo
    return advantage, draw_elo


def _measured(results: Results, judge: Judge, started: float) -> Trial:
    from scipy.stats import kendalltau

    rating = rate_as(judge.section, results)
    table = JudgedRatings.of_table(rating, judge.field)
    pairs = Pairs.of(results)
    return Trial(
        games=results.games,
        pairs=pairs.low.size,
        rms=table.rms,
        worst=float(np.abs(table.error).max()),
        predicted=_predicted(pairs, judge.field),
        tau=float(kendalltau(table.elo, judge.field.elo).statistic),
        coverage=table.coverage,
        loss=table.loss,
        posterior=judge.posterior(results),
        seconds=time.perf_counter() - started,
    )


def _predicted(pairs: Pairs, field: SimulatedPlayers) -> float:
    """Return the predicted RMS error of these games, infinite if they do not connect all players."""
    return rms_error(information(pairs, field.information(pairs)))
