"""The population: players of known strength, or a new draw in every repetition."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

import numpy as np
from msgspec import Struct, convert
from numpy.typing import NDArray

from fiedler.tournament.schedule.schedule import RatingSection, Schedule

Floats = NDArray[np.float64]
Shape = Literal["curve", "linear", "equal", "normal", "groups", "outlier", "collapse", "hump", "steps"]
Order = Literal["kept", "shuffled"]
SHAPES: Sequence[str] = get_args(Shape)
"""Names of the built-in populations."""
RISING: Sequence[str] = ("curve", "linear", "collapse", "hump", "steps")
"""Those with a spread between the players."""
NOISY: Sequence[str] = (*RISING, "equal")
"""Those to which noise is added: the others are noise alone."""
ORDERS: Sequence[str] = get_args(Order)
NORMAL_SD = 150.0
GROUPS_APART, GROUP_SD = 600.0, 40.0
OUTLIER, OTHERS_SD = -1000.0, 60.0
FALL = 400.0
"""Elo that a tenth of the players of `collapse` lose."""
LEVELS = 5
"""Levels of `steps`."""
TIME_CONSTANT = 0.22
"""Time constant of the learning curve as a fraction of the training."""
WEAK_PRIOR = 0.2
"""Virtual draws for built-in populations: the weight of a Gaussian prior with a standard deviation of 1000 Elo for the
weakest player of the curve, 1150 Elo below the mean."""


class Population(Struct, frozen=True):
    """The true Elo of the players: `elo`, or a new draw in every repetition with a `shape`.

    In order: curve, checkpoints of a saturating training; linear, of a steady training; collapse, a curve of which a
    tenth falls by 400; hump, which rises and falls; steps, five levels. Without: equal, only the noise; normal, sd 150;
    groups, halves at ± 300 with sd 40; outlier, sd 60 and the first player at -1000.
    """

    players: int
    elo: tuple[float, ...] = ()
    shape: Shape | None = None
    spread: float = 1500.0
    """Elo between the first and the last player, without noise."""
    noise: float = 15.0
    """Standard deviation of the random part of each player's Elo."""
    order: Order = "kept"
    """`shuffled`: the numbers in the players' names mean nothing."""

    def draw(self, random: np.random.Generator) -> Floats:
        """Return the true Elo of every player, shape (players,)."""
        if self.shape is None:
            return np.asarray(self.elo, dtype=np.float64)
        if self.shape in NOISY:
            elo = self._even() + random.normal(0, self.noise, self.players)
        else:
            elo = _drawn(self.shape, random.normal(0, 1, self.players))
        return np.asarray(random.permutation(elo) if self.order == "shuffled" else elo, dtype=np.float64)

    def _even(self) -> Floats:
        """Return the Elo without noise, shape (players,)."""
        steps = np.arange(self.players) / max(self.players - 1, 1)
        curve = self.spread * (1 - np.exp(-steps / TIME_CONSTANT)) / (1 - np.exp(-1 / TIME_CONSTANT))
        shapes: dict[str, Floats] = {
            "curve": curve,
            "linear": self.spread * steps,
            "collapse": curve - FALL * ((steps >= 0.6) & (steps < 0.7)),
            "hump": self.spread * np.sin(np.pi * steps),
            "steps": self.spread / LEVELS * np.minimum(np.floor(LEVELS * steps), LEVELS - 1),
        }
        return shapes.get(self.shape or "", np.zeros(self.players))


def _drawn(shape: str, normal: Floats) -> Floats:
    """Return the Elo of players without an order from standard normal numbers, shape (players,)."""
    places = np.arange(normal.size)
    if shape == "normal":
        return NORMAL_SD * normal
    if shape == "groups":
        return GROUP_SD * normal + np.where(2 * places < normal.size, -GROUPS_APART / 2, GROUPS_APART / 2)
    return np.where(places == 0, OUTLIER, OTHERS_SD * normal)


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
