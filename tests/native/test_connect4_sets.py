"""The exact sets of Connect 4: their form, their definition, and the scores of some of them solved again."""

from __future__ import annotations

import random
from collections import Counter
from functools import cache
from pathlib import Path
from string import ascii_lowercase

import click.testing
import msgspec
import pytest

from fiedler.games.openings import canonical_key
from fiedler.native import Negamax
from tests.native.positions import SLOW, load
from tools.connect4_sets import OUT, SETS, Line, Solver, after, connect4_sets, score_of, wins_now

CHEAP = 28 if SLOW else 20
"""The least plies at which a position is solved again in all its columns."""


@cache
def lines() -> tuple[Line, ...]:
    return tuple(msgspec.json.Decoder(Line).decode_lines(OUT.read_bytes()))


def signs(line: Line) -> set[int]:
    return {(score > 0) - (score < 0) for score in line.scores if score is not None}


def plies_left(line: Line) -> int:
    """From the score of the best move: the winner's stones at the end, or a full board."""
    plies, best = len(line.moves), max(score for score in line.scores if score is not None)
    if best == 0:
        return 42 - plies
    mover = plies // 2  # stones of the side to move
    return 2 * (22 - best - mover) - 1 if best > 0 else 2 * (22 + best - (plies - mover))


def test_the_file_is_small_and_has_500_positions_of_a_set() -> None:
    assert OUT.stat().st_size <= 400_000
    assert Counter(line.set for line in lines()) == dict.fromkeys(SETS, 500)


def test_no_position_is_there_twice_or_mirrored() -> None:
    assert len({canonical_key(after(line.moves)) for line in lines()}) == len(lines())


def test_every_position_is_one_of_its_set() -> None:
    for line in lines():
        wanted = SETS[line.set]
        assert wanted.plies[0] <= len(line.moves) <= wanted.plies[1], line
        assert wanted.left[0] <= plies_left(line) <= wanted.left[1], line


def test_every_position_has_a_choice_and_no_win_in_one() -> None:
    for line in lines():
        position = after(line.moves)
        assert [score is not None for score in line.scores] == [position.is_legal(column) for column in range(7)]
        assert len(signs(line)) > 1, line
        assert not wins_now(position), line


@pytest.mark.numbers
@pytest.mark.parametrize("name", SETS)
def test_scores_are_found_again(name: str) -> None:
    """The best move, and every column where that is cheap."""
    solver = Solver(Negamax("connect4", 16))
    found = [line for line in lines() if line.set == name]
    late = sorted(found, key=lambda line: -len(line.moves))[: len(found) // 2]
    for line in random.Random(1).sample(late, 6 if name == "begin-hard" else 12):
        position = after(line.moves)
        if len(line.moves) >= CHEAP:
            assert solver.scores(position) == line.scores
        else:
            best = max(score for score in line.scores if score is not None)
            assert score_of(position, solver.solved(position)) == best


def made(out: Path, *words: str) -> list[str]:
    """The lines that the command writes."""
    done = click.testing.CliRunner().invoke(connect4_sets, ["--out", str(out), "--hash-mb", "8", *words])
    assert done.exit_code == 0, done.output
    return out.read_text("utf-8").splitlines()


NAMES = ("--set", "end-easy", "--set", "middle-easy")


def test_the_command_makes_the_same_positions(tmp_path: Path) -> None:
    shipped = [line for line in OUT.read_text("utf-8").splitlines() if '"middle-easy"' in line]
    found = made(tmp_path / "sets.jsonl", "--count", "4", *NAMES)
    assert found[4:] == shipped[:4]


def test_an_interrupted_command_resumes(tmp_path: Path) -> None:
    whole = made(tmp_path / "whole.jsonl", "--count", "6", *NAMES)
    made(tmp_path / "cut.jsonl", "--count", "3", "--set", "end-easy")
    part = tmp_path / "cut.jsonl.part"
    part.write_bytes(part.read_bytes()[:-20])
    assert made(tmp_path / "cut.jsonl", "--count", "6", *NAMES) == whole


def test_a_set_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    done = click.testing.CliRunner().invoke(connect4_sets, ["--out", str(tmp_path / "x"), "--set", "end-hard"])
    assert str(done.exception) == f"--set: expected one of {', '.join(SETS)}, got 'end-hard'"


def test_scores_are_those_of_the_published_solver() -> None:
    rows = [row for row in load("connect4_scores")["positions"] if len(row["moves"]) >= CHEAP]
    solver = Solver(Negamax("connect4", 16))
    assert len(rows) > 60
    for row in rows:
        assert solver.scores(after("".join(ascii_lowercase[move] for move in row["moves"]))) == row["scores"]
