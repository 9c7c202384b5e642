"""Ultimate tic-tac-toe: texts of positions, rollouts one by one and side by side, the rule of the majority."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import pytest

from fiedler import native
from tests.native.naive import lines_of
from tests.native.positions import SLOW, Shares, exact_shares, random_positions

GAMES = ("uttt", "uttt-majority")
EMPTY = "." * 9
LINES = [[3 * row + column for row, column in line] for line in lines_of((3, 3), 3)]


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


@pytest.mark.numbers
def test_sixteen_rollouts_have_the_shares_of_independent_programs() -> None:
    assert_shares(native.Position("uttt"), (0.411, 0.223, 0.366), 16, 400_000)


@pytest.mark.numbers
@pytest.mark.parametrize("side_by_side", [1, 16])
@pytest.mark.parametrize("game", GAMES)
def test_rollouts_from_late_positions_have_the_exact_shares(game: str, side_by_side: int) -> None:
    positions = late_positions(game, cells=14)[:12]
    assert {position.side_to_move for position in positions} == {0, 1}
    for position in positions:
        assert_shares(position, exact_shares(position), side_by_side, 20_000)


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
    """The result by the boards of a finished game without a row, from its text; None with a row."""
    boards = str(position).split(";")[1]
    lines = [boards[i : i + 3] for i in (0, 3, 6)] + [boards[i::3] for i in range(3)] + [boards[::4], boards[2:7:2]]
    if {"XXX", "OOO"} & set(lines):
        return None
    lead = boards.count("X") - boards.count("O")
    return (lead > 0) - (lead < 0)


def test_the_majority_decides_without_a_row() -> None:
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


def text_of(side: str, signs: str, *boards: str) -> str:
    return f"{side};{signs};{'/'.join([*boards, *[EMPTY] * (9 - len(boards))])}"


@cache
def has_line(board: str, stone: str) -> bool:
    return any(all(board[cell] == stone for cell in line) for line in LINES)


@cache
def sign(board: str) -> str:
    return next((stone for stone in "XO" if has_line(board, stone)), "." if "." in board else "#")


def explained(text: str) -> bool:
    """Whether without some stone the game was running, and that stone agrees with the next board in the text.

    The signs must agree with the cells but for the `@`.
    """
    side, signs, cells = text.split(";")
    boards = cells.split("/")
    mover = "XO"[side == "X"]
    for board, cell in ((board, cell) for board in range(9) for cell in range(9) if boards[board][cell] == mover):
        before = boards.copy()
        before[board] = boards[board][:cell] + "." + boards[board][cell + 1 :]
        earlier = "".join(map(sign, before))
        running = sign(before[board]) == "." and not any(has_line(earlier, stone) for stone in "XO")
        after = list(map(sign, boards))
        if after[cell] == ".":
            after[cell] = "@"
        if running and "".join(after) == signs:
            return True
    return False


def with_other_aims(text: str) -> Iterator[str]:
    """The text with the `@` on every open board in turn, and on none."""
    side, signs, cells = text.split(";")
    signs = signs.replace("@", ".")
    for board in range(10):
        if (signs + ".")[board] == ".":
            yield f"{side};{signs[:board]}{'@' if board < 9 else ''}{signs[board + 1 :]};{cells}"


@pytest.mark.parametrize("game", GAMES)
def test_every_position_of_random_games_is_read_again(game: str) -> None:
    for position in random_positions(game, 50 if SLOW else 2000, seed=21):
        assert native.Position(game, str(position)) == position


@pytest.mark.parametrize("game", GAMES)
def test_an_aim_is_read_exactly_where_a_last_move_explains_it(game: str) -> None:
    refused = 0
    for position in random_positions(game, 4 if SLOW else 40, seed=22)[::3]:
        for text in with_other_aims(str(position)) if position.ply else ():
            if explained(text):
                assert str(native.Position(game, text)) == text
            else:
                refused += 1
                with pytest.raises(native.PositionError, match=r"carries '@', but no last move of [XO] can have"):
                    native.Position(game, text)
    assert refused > 100


def test_a_finished_game_ended_with_its_last_stone() -> None:
    """The stone is on a board that ended the game, and still names its cell."""
    for position in random_positions("uttt", 10 if SLOW else 200, seed=23):
        if position.result is not None:
            for text in with_other_aims(str(position)):
                try:
                    read = native.Position("uttt", text)
                except native.PositionError:
                    assert not explained(text)
                else:
                    assert explained(text)
                    assert read.result == position.result


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (text_of("X", EMPTY, "XXX...XXX"), "no one move completed all the lines of three on board 1 "),
        (text_of("X", EMPTY, EMPTY, "OOOOO.O.."), "no one move completed all the lines of three on board 2 "),
        (
            text_of("O", "@........", "....X...."),
            "board 1 carries '@', but no last move of X can have named it in 'O;@",
        ),
        (
            text_of("O", EMPTY, "....X...."),
            "no board carries '@', but no last move of X can have named a closed board in",
        ),
        (text_of("O", "O..@.....", "OOO......", "X.X......", "XX......."), "board 4 carries '@'"),
        (text_of("O", "O........", "OOOXX.XX."), "no stone of X can have been the last in"),
        (
            text_of("O", "XXX...XXX", *["XXX......"] * 3, "OO.OXO.OO", *["OO.O.O.OO"] * 2, *["XXX......"] * 3),
            "no one move completed all the lines of three boards in",
        ),
    ],
)
def test_an_unreachable_position_is_refused_in_one_line(text: str, why: str) -> None:
    for game in GAMES:
        with pytest.raises(native.PositionError) as refusal:
            native.Position(game, text)
        assert why in f"{refusal.value} "


@pytest.mark.parametrize("signs", ["O........", "O@.......", "O.@......"])
def test_each_last_move_that_may_have_been_is_accepted(signs: str) -> None:
    """X has played a1, b1 and c1 of some boards, and the first board is closed."""
    text = text_of("O", signs, "OOO......", "X.X......", "XX.......")
    assert str(native.Position("uttt", text)) == text
