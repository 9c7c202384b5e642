"""Rollouts of ultimate tic-tac-toe, one by one and sixteen side by side, and the rule of the majority."""

from __future__ import annotations

import pytest

import native
from tests.native.positions import SLOW, Shares, exact_shares, random_positions

GAMES = ("uttt", "uttt-majority")


def assert_shares(position: native.Position, expected: Shares, side_by_side: int, count: int) -> None:
    seen = native.rollouts(position, count, seed=7, side_by_side=side_by_side)
    assert sum(seen) == count
    for number, share in zip(seen, expected, strict=True):
        assert abs(number / count - share) <= 4.5 * (share * (1 - share) / count) ** 0.5 + 1e-3


def late_positions(game: str, cells: int) -> list[native.Position]:
    """Positions of random games that have few plies left at most, with one board open and with more."""
    return [
        position
        for position in random_positions(game, 60, seed=12)
        if position.result is None and len(position.legal_moves()) > 1 and 81 - position.ply <= cells
    ]


def test_sixteen_rollouts_have_the_shares_of_independent_programs() -> None:
    count = 20_000 if SLOW else 400_000
    assert_shares(native.Position("uttt"), (0.411, 0.223, 0.366), 16, count)


@pytest.mark.parametrize("side_by_side", [1, 16])
@pytest.mark.parametrize("game", GAMES)
def test_rollouts_from_late_positions_have_the_exact_shares(game: str, side_by_side: int) -> None:
    positions = late_positions(game, cells=14)[:12]
    assert {position.side_to_move for position in positions} == {0, 1}
    for position in positions:
        assert_shares(position, exact_shares(position), side_by_side, 2_000 if SLOW else 20_000)


@pytest.mark.parametrize("game", GAMES)
def test_rollouts_side_by_side_agree_with_single_ones_in_the_middle_of_a_game(game: str) -> None:
    count = 1_600 if SLOW else 48_000
    for position in random_positions(game, 1, seed=13)[5:50:6]:
        wins, draws, losses = (number / count for number in native.rollouts(position, count, seed=3))
        seen = native.rollouts(position, count, seed=4, side_by_side=16)
        for number, share in zip(seen, (wins, draws, losses), strict=True):
            assert abs(number / count - share) <= 4.5 * (2 * share * (1 - share) / count) ** 0.5 + 1e-3


def test_rollouts_side_by_side_are_refused_where_there_are_none() -> None:
    with pytest.raises(ValueError, match="connect4 has no rollouts side by side"):
        native.rollouts(native.Position("connect4"), 16, side_by_side=16)
    with pytest.raises(ValueError, match="expected 1 or 16, got 5"):
        native.rollouts(native.Position("uttt"), 16, side_by_side=5)
    with pytest.raises(ValueError, match="only random rollouts"):
        native.rollouts(native.Position("uttt"), 16, 0, "heuristic", 16)


def lost_on_boards(position: native.Position) -> int | None:
    """The result that the boards of a finished game without a row have, from its text; None where there is a row."""
    boards = str(position).split(";")[1]
    lines = [boards[i : i + 3] for i in (0, 3, 6)] + [boards[i::3] for i in range(3)] + [boards[::4], boards[2:7:2]]
    if {"XXX", "OOO"} & set(lines):
        return None
    lead = boards.count("X") - boards.count("O")
    return (lead > 0) - (lead < 0)


def test_the_majority_decides_when_there_is_no_row() -> None:
    finished = [position for position in random_positions("uttt-majority", 150, seed=14) if position.result is not None]
    decided = [(position.result, lost_on_boards(position)) for position in finished]
    by_boards = [pair for pair in decided if pair[1] is not None]
    assert all(result == boards for result, boards in by_boards)
    assert {result for result, _ in by_boards} == {1, 0, -1}


@pytest.mark.parametrize("game", GAMES)
def test_a_bot_sees_every_move_that_wins_at_once(game: str) -> None:
    """The majority may be won by the last stone of the last board."""
    for position in late_positions(game, cells=30):
        wins = set()
        for move in position.legal_moves():
            child = position.copy()
            child.play(move)
            if child.result == 1 - 2 * position.side_to_move:
                wins.add(move)
        if wins:
            assert native.choose_osp(position, 1) in wins
