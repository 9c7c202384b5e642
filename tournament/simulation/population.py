"""The population: players of known strength, or a new draw in every repetition."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

import numpy as np
from msgspec import Struct, convert
from numpy.typing import NDArray

from tournament.schedule.schedule import RatingSection, Schedule

Floats = NDArray[np.float64]
Shape = Literal["curve", "linear", "equal"]
SHAPES: Sequence[str] = get_args(Shape)
"""Names of the built-in populations."""
TIME_CONSTANT = 0.22
"""Time constant of the learning curve as a fraction of the training."""
WEAK_PRIOR = 0.2
"""Virtual draws for built-in populations: the weight of a Gaussian prior with a standard deviation of 1000 Elo for the
weakest player of the curve, 1150 Elo below the mean."""


class Population(Struct, frozen=True):
    """The true Elo of the players: `elo`, or a new draw in every repetition with a `shape`.

    curve: checkpoints of a saturating training; linear: checkpoints of a steady training; equal: only the noise.
    """

    players: int
    elo: tuple[float, ...] = ()
    shape: Shape | None = None
    spread: float = 1500.0
    """Elo between the first and the last player, without noise."""
    noise: float = 15.0
    """Standard deviation of the random part of each player's Elo."""

    def draw(self, random: np.random.Generator) -> Floats:
        """Return the true Elo of every player, shape (players,)."""
        if self.shape is None:
            return np.asarray(self.elo, dtype=np.float64)
        steps = np.arange(self.players) / max(self.players - 1, 1)
        rise = {
            "curve": (1 - np.exp(-steps / TIME_CONSTANT)) / (1 - np.exp(-1 / TIME_CONSTANT)),
            "linear": steps,
            "equal": np.zeros(self.players),
        }[self.shape]
        return np.asarray(self.spread * rise + random.normal(0, self.noise, self.players))


def known(schedule: Schedule) -> Population:
    """Return the population with the `elo` of the schedule as the truth.

    Raises:
        UsageError: a player has no `elo`.

    """
    for player in schedule.players:
        if player.elo is None:
            wrong = "missing: a simulation needs the true strength (or --truth)"
            raise schedule.error(f"players {player.name!r}.elo", wrong)
    return Population(len(schedule.players), tuple(player.elo or 0.0 for player in schedule.players))


def nameless(players: int, games: int) -> Schedule:
    """Return a schedule for a population of `players`: the most precise meeting graph of 10 pairs per player."""
    pairs = max(players - 1, min(10 * players, players * (players - 1) // 2, games // 2))
    entries = [{"name": f"player-{number + 1:0{len(str(players))}}", "player": "random"} for number in range(players)]
    tables = {
        "tournament": {"name": "simulation", "game": "uttt", "games_per_pair": max(2, games // pairs // 2 * 2)},
        "limit": {"nodes": 1},
        "pairing": {"method": "meeting-graph", "pairs": pairs, "criterion": "precision"},
        "players": entries,
    }
    schedule = convert(tables, Schedule)
    rating = RatingSection(advantage=30.0, draw_elo=100.0, prior=WEAK_PRIOR)
    return Schedule(
        tournament=schedule.tournament,
        limit=schedule.limit,
        pairing=schedule.pairing,
        rating=rating,
        players=schedule.players,
    )
