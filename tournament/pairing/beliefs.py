"""Beliefs about the players by the posterior of their games, as the planners of batches share them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from fiedler.tournament.elo import LEAST_PLAYERS
from fiedler.tournament.pairing.expected import chosen_by_elo, expected_strengths
from fiedler.tournament.pairing.plan import Played
from fiedler.tournament.pairing.standings import UNKNOWN_SD, Strengths
from fiedler.tournament.schedule.schedule import Schedule

if TYPE_CHECKING:
    from fiedler.tournament.ratings.pairs import Floats
    from fiedler.tournament.ratings.posterior import Posterior, PriorKind


@dataclass(frozen=True, slots=True, eq=False)
class PlayerBeliefs:
    """The joint posterior of some players, in raw Elo."""

    names: tuple[str, ...]
    elo: Floats
    """Shape (players,)."""
    covariance: Floats
    """Shape (players, players)."""
    precision: Floats
    """Of the prior, without the games, shape (players, players)."""
    advantage: float
    draw_elo: float
    scale: float
    """Scaled Elo per raw Elo."""
    style_sd: float
    """Standard deviation of a pair's result from the ratings, given or estimated."""
    style_evidence: float
    """Nats for it against 0."""
    idle: tuple[str, ...]
    """Players without games: around the mean of the others, independent of them, and wider apart than they are."""

    @property
    def strengths(self) -> Strengths:
        """The ratings one by one."""
        deviations = np.sqrt(np.maximum(self.covariance.diagonal(), 0.0))
        values = (dict(zip(self.names, column.tolist(), strict=True)) for column in (self.elo, deviations))
        return Strengths(*values)

    @property
    def options(self) -> Mapping[str, Any]:
        """These beliefs as options of `design`."""
        return {
            "elo": self.elo.tolist(),
            "covariance": self.covariance,
            "precision": self.precision,
            "advantage": self.advantage,
            "draw_elo": self.draw_elo,
            "style_sd": self.style_sd,
        }


def player_beliefs(
    schedule: Schedule,
    games: Sequence[Played],
    present: Sequence[str],
    style_sd: float | Literal["fit"],
    default: PriorKind,
    least: int = LEAST_PLAYERS,
) -> PlayerBeliefs | None:
    """Return the beliefs about the players that are present after these games, in a fixed order.

    The prior is that of the schedule's `[rating] posterior`, or the `default`.

    All games count, also those of other players. A series of the schedule that has too few players with games is left
    out, since others may join it. None: fewer than `least` players have games.
    """
    from fiedler.tournament.ratings import Results
    from fiedler.tournament.ratings.posterior import KINDS, posterior  # slow to import, like all ratings

    if len({name for game in games for name in (game.first, game.second)}) < least:
        return None
    section = schedule.rating
    known = expected_strengths(schedule.players) if chosen_by_elo(schedule.pairing) else None
    found = posterior(
        Results.from_games((game.first, game.second, game.result) for game in games),
        kind=next((kind for kind in KINDS if kind == section.posterior), default),
        options=section,
        series=section.series,
        known=known,
        style_sd=style_sd,
        growing=True,
        least=least,
    )
    return _of_present(found, present)


def _of_present(found: Posterior, present: Sequence[str]) -> PlayerBeliefs | None:
    """Return the part of a posterior that is about these players; None if it is about none of them."""
    place = {player.name: number for number, player in enumerate(found.players)}
    rated = [number for number, name in enumerate(present) if name in place]
    if not rated:
        return None
    order = [place[present[number]] for number in rated]
    elo = np.array([player.elo for player in found.players])[order] / found.scale
    wide = UNKNOWN_SD**2 + float(elo.var())
    means, covariance = np.full(len(present), elo.mean()), wide * np.eye(len(present))
    precision, block = np.eye(len(present)) / wide, np.ix_(rated, rated)
    means[rated] = elo
    covariance[block] = found.covariance()[np.ix_(order, order)] / found.scale**2
    precision[block] = found.precision([present[number] for number in rated]) * found.scale**2
    return PlayerBeliefs(
        names=tuple(present),
        elo=means,
        covariance=covariance,
        precision=precision,
        advantage=found.assumed.advantage,
        draw_elo=found.assumed.draw_elo,
        scale=found.scale,
        style_sd=found.assumed.style_sd / found.scale,
        style_evidence=found.assumed.style_evidence,
        idle=tuple(name for name in present if name not in place),
    )
