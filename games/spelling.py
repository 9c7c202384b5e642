"""Moves with a spelling error."""

from __future__ import annotations

from fiedler.games.position import Position


def meant(position: Position, text: str) -> str:
    """Return the one legal move that is spelled like `text`, its case, order and punctuation aside; "" if none."""
    alike = [move for move in map(position.move_text, position.legal_moves()) if _signs(move) == _signs(text)]
    return alike[0] if len(alike) == 1 and text not in alike else ""


def _signs(text: str) -> list[str]:
    return sorted(sign for sign in text.lower() if sign.isalnum())
