"""Ratings as differences to one player, with the errors of the differences."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np

from fiedler.support.errors import UsageError, nearest
from fiedler.tournament.ratings.intervals import normal_quantile
from fiedler.tournament.ratings.model import Rating


def relative_to(rating: Rating, name: str) -> Rating:
    """Return the same ranking with `elo` as the difference to one player, who has 0 and no error.

    Intervals come from the full covariance. Two players with many games against each other, or against the same
    opponents, have a smaller error of their difference than of their ratings. The covariance and the LOS do not change.

    Parameters
    ----------
    rating : Rating
        The ranking.
    name : str
        The player of reference.

    Returns
    -------
    Rating
        Numbers in scaled Elo; nan, at the end, for players whom no chain of games connects with `name`.

    Raises
    ------
    UsageError
        The ranking has no such player.

    Examples
    --------
    >>> from fiedler.tournament.ratings import Results, rate, relative_to
    >>> rating = rate(Results(("Ann", "Bob"), ((0, 1, 6, 3, 1), (1, 0, 4, 2, 4))))
    >>> [(player.name, round(player.elo), round(player.plus)) for player in relative_to(rating, "Bob").players]
    [('Ann', 75, 123), ('Bob', 0, 0)]

    """
    names = [player.name for player in rating.players]
    if name not in names:
        raise UsageError(f"relative to {name!r}: expected the name of a player{nearest(name, names)}")
    place = names.index(name)
    reach = normal_quantile(rating.confidence) * rating.errors_to(place)
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
