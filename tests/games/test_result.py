"""The type `Result`."""

from __future__ import annotations

import pytest

from fiedler.games.result import Result


@pytest.mark.parametrize(
    ("native", "text", "points", "winner", "loser"),
    [
        (1, "1-0", (1.0, 0.0), "a", "b"),
        (0, "1/2-1/2", (0.5, 0.5), None, None),
        (-1, "0-1", (0.0, 1.0), "b", "a"),
    ],
)
def test_a_result_gives_the_winner(
    native: int, text: str, points: tuple[float, float], winner: str | None, loser: str | None
) -> None:
    found = Result.of(native)
    assert (f"{found}", Result(text)) == (text, found)
    assert (found.points, found.winner("a", "b"), found.loser("a", "b")) == (points, winner, loser)


def test_a_side_wins() -> None:
    assert [Result.won_by(side).points[side] for side in (0, 1)] == [1.0, 1.0]
