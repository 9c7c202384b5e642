"""Wins by continuous threats in gomoku and renju: all given ones are found, and no false one is claimed."""

from __future__ import annotations

import random
from typing import Any

import pytest

from fiedler import native
from tests.native.positions import load, random_positions

GAMES = {"freestyle": "gomoku15", "standard": "standard15", "renju": "renju15"}
ONLY_FOURS = 999  # nodes; with more, threes are searched too
VCF = load("vcf")


def cell(move: list[int]) -> int:
    column, row = move
    return 15 * row + column


def position_of(record: dict[str, Any]) -> native.Position:
    position = native.Position(GAMES[record["rule"]])
    for move in record["moves"]:
        position.play(cell(move))
    return position


def winner(position: native.Position, line: list[int]) -> int | None:
    end = position.copy()
    for move in line:
        end.play(move)
    return {1: 0, -1: 1}.get(end.result or 0)


@pytest.mark.parametrize("record", VCF["positions"], ids=lambda record: record["id"])
def test_given_wins_by_fours_are_found(record: dict[str, Any]) -> None:
    position = position_of(record)
    found = native.forced_win(position, 100_000)
    assert found is not None
    plies, line = found
    assert line[0] in map(cell, record["winning_first_moves"] + record["also_wins"])
    assert len(line) <= plies
    assert winner(position, line) == position.side_to_move


def test_no_win_by_fours_is_claimed_where_there_is_none() -> None:
    claimed = [record["id"] for record in VCF["no_vcf"] if native.forced_win(position_of(record), ONLY_FOURS)]
    assert not claimed


def test_fours_alone_do_not_need_the_search_by_threes() -> None:
    found = sum(native.forced_win(position_of(record), ONLY_FOURS) is not None for record in VCF["positions"])
    assert found >= 99


def crowded_position(game: str, generator: random.Random) -> native.Position:
    """Some random moves near the centre."""
    position = native.Position(game)
    size = position.planes_shape[1]
    near = [
        size * row + column
        for row in range(size // 2 - 3, size // 2 + 4)
        for column in range(size // 2 - 3, size // 2 + 4)
    ]
    for _ in range(generator.randrange(8, 24)):
        moves = [move for move in near if position.is_legal(move)]
        if not moves:
            break
        position.play(generator.choice(moves))
    return position


@pytest.mark.slow
@pytest.mark.numbers
@pytest.mark.parametrize("game", ["gomoku9", "gomoku15", "gomoku20", "standard15", "renju15"])
def test_a_claimed_win_stands_against_every_defence(game: str) -> None:
    generator = random.Random(1)
    claims = 0
    for _ in range(60):
        position = crowded_position(game, generator)
        if position.result is not None or native.forced_win(position, 3000) is None:
            continue
        claims += 1
        attacker = position.side_to_move
        while position.result is None:
            found = native.forced_win(position, 30_000)
            assert found is not None, str(position)
            position.play(found[1][0])
            if position.result is None:
                wins_at_once = [m for m in position.legal_moves() if winner(position, [m]) == 1 - attacker]
                assert not wins_at_once, str(position)
                blocks = defences(position, attacker)
                position.play(generator.choice(blocks))
        assert position.result == (1 if attacker == 0 else -1)
    assert claims >= 10


def defences(position: native.Position, attacker: int) -> list[int]:
    """Moves that leave the attacker no five; any move if there is none."""
    quiet = []
    for move in position.legal_moves():
        child = position.copy()
        child.play(move)
        if child.result is None and not any(winner(child, [reply]) == attacker for reply in child.legal_moves()):
            quiet.append(move)
    return quiet or position.legal_moves()


def test_negamax_plays_a_forced_win_at_once() -> None:
    for record in VCF["positions"][::10]:
        position = position_of(record)
        search = native.Negamax(position.game, hash_mb=1)
        info = search.search(position, native.Limits(nodes=100_000), native.StopFlag())
        assert info.best is not None
        assert info.best in map(cell, record["winning_first_moves"] + record["also_wins"])
        assert info.mate is not None
        assert 2 * info.mate - 1 >= record["win_plies"]


@pytest.mark.parametrize("search", [native.Negamax, native.Mcts])
def test_the_line_of_a_forced_win_goes_to_its_end(search: type[native.Negamax] | type[native.Mcts]) -> None:
    for record in VCF["positions"][::5]:
        position = position_of(record)
        info = search(position.game, hash_mb=1).search(position, native.Limits(nodes=100_000), native.StopFlag())
        assert info.mate is not None
        assert info.pv[0] == info.best
        assert len(info.pv) <= 2 * info.mate - 1
        assert winner(position, info.pv) == position.side_to_move


def test_the_line_of_a_loss_shows_the_win_behind_it() -> None:
    """In the cube, too, and with the losing side to move."""
    shown = 0
    for position in random_positions("cube", 10, seed=3):
        if position.result is None:
            info = native.Mcts("cube", hash_mb=1).search(position, native.Limits(nodes=2000), native.StopFlag())
            if info.mate is not None and info.mate < 0:
                assert len(info.pv) <= -2 * info.mate
                assert winner(position, info.pv) == 1 - position.side_to_move
                shown += 1
    assert shown > 10


def test_no_win_without_a_search_for_one() -> None:
    assert native.forced_win(native.Position("tictactoe"), 1000) is None
    assert native.forced_win(native.Position("gomoku15"), 1000) is None


def test_no_win_once_the_game_is_over() -> None:
    position = native.Position("gomoku9")
    for move in (0, 9, 1, 10, 2, 11, 3, 12, 4):
        position.play(move)
    with pytest.raises(native.IllegalMoveError, match="over"):
        native.forced_win(position, 1000)
