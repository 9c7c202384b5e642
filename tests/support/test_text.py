"""Numbers with their nouns."""

from __future__ import annotations

import pytest

from fiedler.support.text import counted


@pytest.mark.parametrize(
    ("number", "noun", "text"),
    [
        (0, "game", "0 games"),
        (1, "game", "1 game"),
        (2, "game", "2 games"),
        (1, "ply", "1 ply"),
        (3, "random ply", "3 random plies"),
        (2, "reply", "2 replies"),
        (2, "day", "2 days"),
    ],
)
def test_a_number_has_the_right_noun(number: int, noun: str, text: str) -> None:
    assert counted(number, noun) == text
