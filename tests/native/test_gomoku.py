"""Five in a row: winning rows under each rule, refused texts, and rollouts against exact averages."""

from __future__ import annotations

import random

import pytest

from fiedler import native
from tests.native.positions import exact_shares

FIVES = ("gomoku9", "gomoku15", "gomoku20", "standard15", "renju15")
FREE = ("gomoku9", "gomoku15", "gomoku20")


def size_of(game: str) -> int:
    return native.Position(game).planes_shape[1]


def board(game: str, stones: dict[tuple[int, int], str], side: str) -> native.Position:
    """The position with these stones, by row and column from the top left."""
    size = size_of(game)
    rows = ("".join(stones.get((row, column), ".") for column in range(size)) for row in range(size))
    return native.Position(game, f"{side};{'/'.join(rows)}")


def row_of(text: str, row: int = 0, column: int = 0, step: tuple[int, int] = (0, 1)) -> dict[tuple[int, int], str]:
    cells = ((row + i * step[0], column + i * step[1]) for i in range(len(text)))
    return {cell: sign for cell, sign in zip(cells, text, strict=True) if sign != "."}


def apart(game: str, sign: str, count: int) -> dict[tuple[int, int], str]:
    """Stones on the lowest rows that make no two in a row."""
    size = size_of(game)
    cells = [(size - 1 - row, column) for row in (0, 2, 4) for column in range(0, size, 2)]
    return dict.fromkeys(cells[:count], sign)


def won_by(game: str, text: str, place: int, sign: str = "X") -> bool:
    """Whether `sign` wins on the place of the text, a piece of the first row."""
    stones = row_of(text)
    mine = sum(stone == sign for stone in stones.values())
    stones |= apart(game, "XO"[sign == "X"], mine + (sign == "O"))
    position = board(game, stones, sign)
    position.play(place)
    return position.result is not None


@pytest.mark.parametrize("game", FIVES)
def test_five_win_in_every_direction_and_at_every_edge(game: str) -> None:
    size = size_of(game)
    for step in ((0, 1), (1, 0), (1, 1), (1, -1)):
        for row in range(size - 4 * step[0]):
            for column in range(max(0, -4 * step[1]), size - max(0, 4 * step[1])):
                cells = [(row + i * step[0], column + i * step[1]) for i in range(5)]
                others = apart_from(cells, size)[:4]
                stones = dict.fromkeys(cells[:4], "X") | dict.fromkeys(others, "O")
                position = board(game, stones, "X")
                position.play(size * cells[4][0] + cells[4][1])
                assert position.result == 1
                assert position.legal_moves() == []


def apart_from(cells: list[tuple[int, int]], size: int) -> list[tuple[int, int]]:
    """Cells of every second row and column that are not among these."""
    return [(r, c) for r in range(0, size, 2) for c in range(0, size, 2) if (r, c) not in cells]


@pytest.mark.parametrize(
    ("text", "place", "winners"),
    [
        ("XXX.X", 3, set(FIVES)),
        ("XX.XXX", 2, set(FREE)),
        ("XXXX.XXXX", 4, set(FREE)),
        ("XX.XX", 2, set(FIVES)),
        ("X.XX", 1, set()),
    ],
)
def test_six_or_more_win_only_where_they_do(text: str, place: int, winners: set[str]) -> None:
    for game in ("gomoku9", "gomoku15", "gomoku20", "standard15"):
        assert won_by(game, text, place) == (game in winners)
        white = text.translate(str.maketrans("XO", "OX"))
        assert won_by(game, white, place, "O") == (game in winners)


def test_white_wins_with_six_in_renju() -> None:
    assert won_by("renju15", "OO.OOO", 2, "O")


def test_an_exact_five_beside_six_wins() -> None:
    stones = row_of("XXX.XXX") | row_of("XXXX", 1, 3, (1, 0))
    stones |= apart("standard15", "O", 10)
    for game in ("standard15", "renju15"):
        position = board(game, stones, "X")
        position.play(3)
        assert position.result == 1


def test_lines_do_not_run_around_the_edge() -> None:
    for game in FREE:
        size = size_of(game)
        stones = row_of("XX", 0, size - 2) | row_of("XX", 1, 0) | row_of("OO", 4, 2) | row_of("OO", 6, 2)
        position = board(game, stones, "X")
        position.play(size + 2)
        assert position.result is None


@pytest.mark.parametrize("game", FIVES)
def test_texts_against_the_rules_are_refused(game: str) -> None:
    five = row_of("XXXXX")
    others = apart(game, "O", 5)
    with pytest.raises(native.PositionError, match="the side to move has five in a row already"):
        board(game, five | others, "X")
    with pytest.raises(native.PositionError, match="over before the last move"):
        board(game, five | row_of("XXXXX", 2) | apart(game, "O", 9), "O")
    with pytest.raises(native.PositionError, match="the side to move has five"):
        board(game, row_of("XXXXX") | row_of("OOOOO", 2), "X")
    finished = board(game, five | apart(game, "O", 4), "O")
    assert finished.result == 1
    assert finished.legal_moves() == []


def crowded(game: str, holes: int, seed: int, middle: str) -> native.Position:
    """A nearly full board without a five: pairs that change sides from row to row, and `middle` in one row."""
    generator = random.Random(seed)
    size = size_of(game)
    stones = {(row, column): "XO"[(2 * row + column) % 4 // 2] for row in range(size) for column in range(size)}
    stones |= {(size // 2, i): sign for i, sign in enumerate(middle)}
    empty = [(size // 2, i) for i, sign in enumerate(middle) if sign == "."]
    while len(empty) < holes:
        cell = (generator.randrange(size), generator.randrange(size))
        if cell[0] != size // 2 and cell not in empty:
            empty.append(cell)
    for cell in empty:
        del stones[cell]
    balance(stones, size // 2, generator)
    side = "XO"[sum(1 if sign == "X" else -1 for sign in stones.values())]
    return board(game, stones, side)


def balance(stones: dict[tuple[int, int], str], kept_row: int, generator: random.Random) -> None:
    """Turn stones over until X has as many as O, or one more."""
    while (excess := sum(1 if sign == "X" else -1 for sign in stones.values())) not in (0, 1):
        cell = generator.choice([c for c, sign in stones.items() if sign == "OX"[excess > 0] and c[0] != kept_row])
        stones[cell] = "XO"[excess > 0]


MIDDLES = {
    "gomoku9": ["XXX.XXOOX", "OO..XXXX."],
    "gomoku15": ["XXX.XXOOXX.XXOO", "OOOO.X.XXXX.OXO"],
    "gomoku20": ["XXX.XXOOXX.XXOO", "OOOO.X.XXXX.OXO", "XOXOXOXXOOXXX.XX.OOO"],
    "standard15": ["XXX.XXOOXX.XXOO", "XXX.XXX.OOO.OOO", "XX..XXXOOO..OOX"],
    "renju15": ["XXX.XXOOXX.XXOO", "OOO.OOO.XXX.XXX", "XX..XXXOOO..OOX"],
}


@pytest.mark.numbers
@pytest.mark.parametrize("game", FIVES)
def test_rollouts_of_crowded_boards_give_the_exact_averages(game: str) -> None:
    tried, count = 0, 4000
    for seed in range(60):
        try:
            position = crowded(game, 5, seed, MIDDLES[game][seed % len(MIDDLES[game])])
        except native.PositionError:
            continue  # the stones turned over made a five
        if position.result is not None:
            continue
        wins, draws, losses = native.rollouts(position, count, seed=seed)
        assert wins + draws + losses == count
        for seen, share in zip((wins, draws, losses), exact_shares(position), strict=True):
            assert abs(seen / count - share) <= 5 * (share * (1 - share) / count) ** 0.5
        tried += 1
    assert tried >= 10


@pytest.mark.parametrize("game", FIVES)
def test_heuristic_rollouts_end_every_game(game: str) -> None:
    count = 500
    assert sum(native.rollouts(native.Position(game), count, seed=1, policy="heuristic")) == count
    four = board(game, row_of("XXXX", 4, 2) | apart(game, "O", 4), "X")
    assert native.rollouts(four, count, seed=1, policy="heuristic") == (count, 0, 0)
    three = board(game, row_of("XXX", 4, 3) | apart(game, "O", 3), "X")
    assert native.rollouts(three, count, seed=1, policy="heuristic") == (count, 0, 0)
    blocked = board(game, row_of("XXXXO", 4, 3) | apart(game, "O", 2), "O")
    wins, _, _ = native.rollouts(blocked, count, seed=1, policy="heuristic")
    assert 0 < wins < count


@pytest.mark.parametrize("game", FIVES)
def test_bots_win_at_once_and_stop_a_four(game: str) -> None:
    size = size_of(game)
    four = board(game, row_of("XXXXO", 4, 3) | apart(game, "O", 3), "X")
    blocked = board(game, row_of("XXXXO", 4, 3) | apart(game, "O", 2), "O")
    for choose in (native.choose_osp, native.choose_hsp):
        for seed in range(10):
            assert choose(four, seed) == choose(blocked, seed) == 4 * size + 2
