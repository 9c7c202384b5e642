"""SGF of Go, read back by sgfmill, another program: stones, passes, komi, rules and results."""

from __future__ import annotations

import random
import warnings

import pytest

from fiedler.games import Game, game
from fiedler.games.game import START
from fiedler.games.result import Result
from fiedler.games.sgf import sgf_of, sgf_points, sgf_result

with warnings.catch_warnings(action="ignore"):  # its first import warns of its own strings
    from sgfmill import sgf_moves
    from sgfmill.sgf import Sgf_game

STONES = {None: 0, "b": 1, "w": 2}


def random_game(go: Game, start: str, rng: random.Random) -> list[str]:
    """Return the moves of a random game; half of them seldom pass."""
    position, moves, patient = go.position(start), list[str](), rng.random() < 0.5
    while position.result is None:
        legal = position.legal_moves()
        move = rng.choice(legal[:-1] or legal) if patient and rng.random() < 0.97 else rng.choice(legal)
        moves.append(position.move_text(move))
        position.play(move)
    return moves


@pytest.mark.slow
@pytest.mark.parametrize(("size", "count"), [(9, 260), (13, 30), (19, 10)])
def test_three_hundred_random_games_are_read_back(size: int, count: int) -> None:
    go, rng = game(f"go{size}"), random.Random(size)
    for number in range(count):
        komi, suicide = rng.randrange(-20, 20) / 2, number % 3 == 0
        start = go.with_rules(START, {"komi": komi, "suicide": suicide})
        moves = random_game(go, start, rng)
        end = go.position(start, moves)
        assert end.result is not None
        ended = sgf_result(Result.of(end.result), sgf_points(go, moves, start))
        found = Sgf_game.from_string(sgf_of(go, "Fiedler", {"RE": ended}, moves, start))
        assert (found.get_size(), found.get_komi()) == (size, komi)
        root = found.get_root()
        assert root.get("RU") == ("Tromp-Taylor" if suicide else "Chinese")
        assert not any(root.has_property(name) for name in ("HA", "AB", "AW", "PL"))
        board, plays = sgf_moves.get_setup_and_moves(found)
        for color, point in plays:
            if point is not None:
                board.play(*point, color)
        assert len(plays) == len(moves)
        rows = reversed(range(size))
        assert bytes(STONES[board.get(row, column)] for row in rows for column in range(size)) == end.cells
        lead = board.area_score() - komi
        assert root.get("RE") == ("0" if lead == 0 else f"{'B' if lead > 0 else 'W'}+{abs(lead):g}")
        assert found.get_winner() == (None if lead == 0 else "b" if lead > 0 else "w")
