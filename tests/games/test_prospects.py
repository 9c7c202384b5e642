"""The proof that neither side can win, compared with every possible continuation."""

from __future__ import annotations

import random

import pytest

from fiedler import games
from fiedler.games.lines import blocks_of, lines
from fiedler.native import Position


def results(position: Position) -> set[int]:
    """Every result that is still possible."""
    if position.result is not None:
        return {position.result}
    found = set()
    for move in position.legal_moves():
        child = position.copy()
        child.play(move)
        found |= results(child)
    return found


def can_be_won(position: Position) -> bool:
    return games.game(position.game).can_be_won(position)


def random_line(game: str, rng: random.Random) -> list[Position]:
    position, seen = Position(game), []
    while position.result is None:
        seen.append(position.copy())
        position.play(rng.choice(position.legal_moves()))
    return seen


def test_proof_at_tictactoe_misses_only_draws_by_lack_of_moves() -> None:
    rng = random.Random(1)
    seen = {str(position): position for _ in range(200) for position in random_line("tictactoe", rng)}
    proven = [position for position in seen.values() if not can_be_won(position)]
    assert all(results(position) == {0} for position in proven)
    drawn = [position for position in seen.values() if results(position) == {0}]
    assert len(drawn) >= len(proven) > len(drawn) / 3


@pytest.mark.parametrize("game", ["connect4", "uttt"])
@pytest.mark.slow
def test_after_a_proof_every_random_game_is_a_draw(game: str) -> None:
    rng = random.Random(2)
    proven = 0
    for _ in range(400):
        dead = [position for position in random_line(game, rng) if not can_be_won(position)]
        proven += bool(dead)
        if dead:
            for _ in range(10):
                position = dead[0].copy()
                while position.result is None:
                    position.play(rng.choice(position.legal_moves()))
                assert position.result == 0, str(dead[0])
    assert proven > 0, "or this test says nothing"


@pytest.mark.parametrize("game", games.GAMES)
def test_every_game_can_be_won_at_the_start(game: str) -> None:
    assert can_be_won(Position(game))


def test_games_without_lines_are_never_proven() -> None:
    rng = random.Random(3)
    assert all(can_be_won(position) for _ in range(20) for position in random_line("uttt-majority", rng))


@pytest.mark.parametrize(
    ("size", "length", "count"), [((1, 3, 3), 3, 8), ((1, 6, 7), 4, 69), ((4, 4, 4), 4, 76), ((1, 15, 15), 5, 572)]
)
def test_number_of_lines(size: tuple[int, int, int], length: int, count: int) -> None:
    found = lines(*size, length)
    assert len({frozenset(line) for line in found}) == len(found) == count


def test_blocks_have_every_cell_once() -> None:
    blocks = blocks_of(9, 9, 3)
    assert blocks[1] == (3, 4, 5, 12, 13, 14, 21, 22, 23)
    assert sorted(cell for block in blocks for cell in block) == list(range(81))
