"""A ranking as one JSON document."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from tournament.ratings.analysis import without_nan
from tournament.ratings.answer import Answer
from tournament.ratings.model import Rating


def document(rating: Rating, found: Answer, warnings: list[str]) -> dict[str, Any]:
    """Return what `tournament rank --json` prints; a number that cannot be known is null."""
    known: dict[str, Any] = without_nan(
        {
            "players": [asdict(player) for player in rating.players],
            "advantage": rating.advantage,
            "draw_elo": rating.draw_elo,
            "scale": rating.scale,
            "answer": found.document(),
            "warnings": warnings,
        }
    )
    return known
