"""Ratings as differences to one player, with the errors of the differences."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from support.errors import UsageError
from tournament.ratings.intervals import normal_quantile
from tournament.ratings.model import Rating


def relative_to(rating: Rating, name: str) -> Rating:
    """Return the same ranking with `elo` as the difference to the player `name`, who stands at 0 without an error.

    `plus` and `minus` are those of the difference, from the full covariance: two players who met often, or the same
    opponents, are known relative to each other better than either is to the mean. nan where no chain of games leads
    from one to the other; such players come last. The covariance and the LOS stay those of the ratings. Raises
    UsageError for an unknown name.
    """
    names = [player.name for player in rating.players]
    if name not in names:
        raise UsageError(f"relative to {name!r}: expected the name of a player")
    place = names.index(name)
    reach = normal_quantile(rating.confidence) * rating.difference_errors()[place]
    zero = rating.players[place].elo
    players = tuple(
        replace(
            player,
            elo=math.nan if math.isnan(error) else player.elo - zero,
            plus=error,
            minus=error,
            opponents=player.opponents - zero,
        )
        for player, error in zip(rating.players, reach.tolist(), strict=True)
    )
    order = sorted(range(len(players)), key=lambda one: math.isnan(players[one].elo))
    both = np.ix_(order, order)
    return replace(
        rating,
        players=tuple(players[one] for one in order),
        superiority=lambda: rating.superiority()[both],
        covariances=lambda: rating.covariances()[both],
    )
