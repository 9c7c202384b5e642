"""The silhouettes of the pieces of chess. Our own drawings, after the form of Staunton's pieces."""

from __future__ import annotations

from fiedler.games.board import Shape

_BALL = "a4.5 4.5 0 1 1 9 0a4.5 4.5 0 1 1-9 0Z"
_FOOT = "Q18 20 20 26Q27 28 27 34V39H-27V34Q-27 28-20 26Q-18 20-20 14"
"""The waist and the base of a king or a queen, from the right to the left."""
_RINGS = "M-20 14Q0 9 20 14M-20 26Q0 21 20 26"

SHAPES = (
    Shape(
        "M-25 39V34Q-25 28-18 27C-10 20-7 11-6 2H-12V-4H-7A14 14 0 1 1 7-4H12V2H6C7 11 10 20 18 27Q25 28 25 34V39Z",
        "M-18 27H18M-6 2H6",
    ),
    Shape(
        "M-21 39C-22 22 0 17 2-2C-3 4-10 6-15 8Q-19 16-25 15Q-34 12-31 3L-17-17Q-19-27-14-39L-5-31L3-38L7-28C24-22 "
        "31 4 28 39Z",
        "M-13-14a1.5 1.5 0 1 1-.1 0M-26 6l2-2M9-19C19-10 22 9 21 32",
    ),
    Shape(
        "M-28 39V35Q-28 30-20 29Q-10 27-9 17H-14V11H-9C-24-1-16-19-5-28A6.5 6.5 0 1 1 5-28C16-19 24-1 9 11H14V17H9"
        "Q10 27 20 29Q28 30 28 35V39Z",
        "M-9 11H9M-9 17H9M9-17L-1-4",
    ),
    Shape(
        "M-29 39V32H-24V26L-18 20V-12L-25-18V-35H-14V-28H-6V-35H6V-28H14V-35H25V-18L18-12V20L24 26V32H29V39Z",
        "M-18-12H18M-18 20H18M-24 32H24",
    ),
    Shape(
        f"M-20 14L-33-17L-17-4L-17-28L-6-8L0-33L6-8L17-28L17-4L33-17L20 14{_FOOT}Z"
        + "".join(f"M{x - 4.5:g} {y}{_BALL}" for x, y in ((-33, -20), (-17, -31), (0, -35), (17, -31), (33, -20))),
        _RINGS,
    ),
    Shape(
        "M-20 14C-40-1-33-20-16-20Q-8-20-4-14Q-8-20-3-25V-29H-9V-35H-3V-42H3V-35H9V-29H3V-25Q8-20 4-14Q8-20 16-20"
        f"C33-20 40-1 20 14{_FOOT}Z",
        f"{_RINGS}M0-6V11M-4-14L0-6L4-14",
    ),
)
"""In the order of the core: a pawn, a knight, a bishop, a rook, a queen, a king."""
