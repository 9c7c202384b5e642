"""What is known of a key besides its type: its words and bounds, which checks after msgspec know."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from msgspec import Struct

from fiedler.games import FILLED, GAMES
from fiedler.games.generic import GENERIC
from fiedler.players import PLAYERS
from fiedler.protocol import DIALECTS
from fiedler.support.player_table import PlayerTable
from fiedler.tournament.schedule import schedule as keys
from fiedler.tournament.schedule.methods import METHODS
from fiedler.tournament.schedule.opening_file import ALIASES, COORDINATES
from fiedler.tournament.schedule.posterior_keys import POSTERIORS
from fiedler.tournament.schedule.validation import RUN_NAME, SEED_LIMIT
from fiedler.training.recipe.recipe import NAME, Recipe
from fiedler.web.play.offers import OfferedPlayer

Key = tuple[type[Struct], str]
"""A key of a struct and of those that inherit from it."""
Known = TypeVar("Known")

WORDS: Mapping[Key, Iterable[str]] = {
    (keys.Tournament, "disputes"): keys.DISPUTES,
    (keys.Pairing, "method"): METHODS,
    (keys.Pairing, "criterion"): keys.CRITERIA,
    (keys.Pairing, "degree_cap"): keys.DEGREE_CAPS,
    (keys.Pairing, "plan"): keys.PLANS,
    (keys.Pairing, "goal"): keys.GOALS,
    (keys.Sprt, "model"): keys.SPRT_MODELS,
    (keys.Openings, "positions"): keys.POSITIONS,
    (keys.Openings, "order"): keys.ORDERS,
    (keys.Openings, "coordinates"): (*COORDINATES, *ALIASES),
    (keys.RatingSection, "backend"): keys.BACKENDS,
    (keys.RatingSection, "model"): keys.MODELS,
    (keys.RatingSection, "advantage"): ("fit",),
    (keys.RatingSection, "draw_elo"): ("fit",),
    (keys.RatingSection, "posterior"): POSTERIORS,
    (keys.ClusterSection, "unequal"): keys.UNEQUAL,
    (keys.PlayerEntry, "protocol"): DIALECTS,
    (keys.PlayerEntry, "restart"): keys.RESTARTS,
    (OfferedPlayer, "protocol"): DIALECTS,
}
"""The words that a key may have, where it is a text."""
SUGGESTIONS: Mapping[Key, Iterable[str]] = {
    (keys.Tournament, "game"): (*GAMES, GENERIC.id),
    (Recipe, "game"): FILLED,
    (PlayerTable, "player"): PLAYERS,
}
"""Words that an editor proposes for a key, which may have others, too."""
BOUNDS: Mapping[Key, dict[str, Any]] = {
    (keys.Tournament, "name"): {"pattern": f"^(?:{RUN_NAME.pattern})$"},
    (keys.Tournament, "games_per_pair"): {"multipleOf": 2},
    (keys.Tournament, "seed"): {"maximum": SEED_LIMIT - 1},
    (keys.Tournament, "concurrency"): {"maximum": keys.MAX_CONCURRENCY},
    (Recipe, "name"): {"pattern": f"^(?:{NAME.pattern})$"},
}
"""What else a value must be, in the words of JSON Schema."""
TAGS = {"system": "The learning system.", "kind": "The kind of network, which has keys of its own."}
"""What the keys mean that select a struct."""


def known_of(table: Mapping[Key, Known], struct: type[Struct], name: str) -> Known | None:
    """Return the entry of a key of a struct, which it may have from a base; None without one."""
    return next((known for (base, key), known in table.items() if key == name and issubclass(struct, base)), None)
