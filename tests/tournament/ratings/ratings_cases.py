"""The recorded cases of the original program (tests/data/bayeselo) as the tests use them."""

from __future__ import annotations

import functools
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from fiedler.tournament.ratings import Rating, Results
from tests.folders import DATA

FOLDER = DATA / "bayeselo"
CASES = sorted(path.stem for path in FOLDER.glob("*.json"))

Program = Callable[..., Path]
"""The fixture `program`: it takes a script of this folder and its arguments, and returns a program."""

FIT_BOTH = {"advantage": "fit", "draw_elo": "fit"}
RUNS: dict[str, dict[str, Any]] = {
    "mm": {"intervals": "variance"},
    "mm_1_0": {"intervals": "variance", "advantage": "fit"},
    "mm_0_1": {"intervals": "variance", "draw_elo": "fit"},
    "mm_1_1": {"intervals": "variance", **FIT_BOTH},
    "mm_exactdist": {"intervals": "exact"},
    "mm_1_1_exactdist": {"intervals": "exact", **FIT_BOTH},
    "mm_covariance": {"intervals": "covariance"},
    "mm_1_1_covariance": {"intervals": "covariance", **FIT_BOTH},
    "prior_0": {"intervals": "variance", "prior": 0},
    "prior_0.1": {"intervals": "variance", "prior": 0.1},
    "prior_10_mm_1_1": {"intervals": "covariance", "prior": 10, **FIT_BOTH},
    "adv_0_draw_0.01": {"intervals": "variance", "advantage": 0, "draw_elo": 0.01},
    "adv_100_draw_250": {"intervals": "covariance", "advantage": 100, "draw_elo": 250},
}
"""The recorded runs with our parameters, and these parameters. We have no ELOstat, other grids, levels or offsets."""


@functools.cache
def case(name: str) -> Any:
    return json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))


def results_of(name: str) -> Results:
    found = case(name)
    return Results(tuple(found["players"]), tuple((a, b, w, d, l) for a, b, w, d, l in found["results"]))  # noqa: E741


def run_of(name: str, run: str) -> Any:
    return next(found for found in case(name)["runs"] if found["id"] == run)


def recorded(values: list[float | None]) -> NDArray[np.float64]:
    """Recorded numbers, nan if the program had none."""
    return np.array(values, dtype=np.float64)


def raw(rating: Rating, name: str, field: str) -> NDArray[np.float64]:
    """One column of a rating in raw Elo, in the order of the players of the case."""
    values = {player.name: getattr(player, field) for player in rating.players}
    return np.array([values[player] for player in case(name)["players"]]) / rating.scale


def order_in(rating: Rating, name: str) -> list[int]:
    players = case(name)["players"]
    return [players.index(player.name) for player in rating.players]
