"""A ranking as one JSON document."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from fiedler.support.numbers import without_nan
from fiedler.tournament.ratings.answer import Answer
from fiedler.tournament.ratings.model import Rating


def document(rating: Rating, found: Answer, warnings: Sequence[str] = ()) -> dict[str, Any]:
    """Return the document of `tournament rank --json`, `ranking.json` and the status; an unknown number is null."""
    known: dict[str, Any] = without_nan(
        {
            "players": [asdict(player) for player in rating.players],
            "advantage": rating.advantage,
            "draw_elo": rating.draw_elo,
            "scale": rating.scale,
            "answer": found.document(),
            "warnings": list(warnings),
        }
    )
    return known
