"""Programs that show by their commands or options that they play another game."""

from __future__ import annotations

import sys

import pytest

from fiedler.support.errors import UsageError
from tests.tournament.run.test_gtp import saying
from tests.tournament.schedules import Bench, Tables

pytestmark = pytest.mark.programs

UCI_CHESS = """
import sys
for line in sys.stdin:
    if line.strip() == "uci":
        print("option name UCI_Chess960 type check default false\\nuciok", flush=True)
    if line.strip() == "isready":
        print("readyok", flush=True)
"""


@pytest.mark.parametrize(
    ("game_id", "command", "protocol", "family"),
    [
        ("gomoku9", saying(list_commands="= fixed_handicap"), "gtp", "Go"),
        ("go9", [sys.executable, "-S", "-E", "-c", UCI_CHESS], "uci", "chess"),
    ],
)
def test_a_program_of_another_game_is_refused(
    bench: Bench, game_id: str, command: list[str], protocol: str, family: str
) -> None:
    both: list[Tables] = [
        {"name": "other", "command": command, "protocol": protocol},
        {"name": "random", "player": "random"},
    ]
    wrong = f"player 'other': plays another game than {game_id}: {family}, by its commands or options"
    with pytest.raises(UsageError, match=wrong):
        bench.play(both, tournament={"game": game_id})


def test_a_variant_of_an_engine_of_chess_may_be_the_game(bench: Bench) -> None:
    own = "option name UCI_Chess960"
    offering = UCI_CHESS.replace(own, f"option name UCI_Variant type string\\n{own}")
    resigning = "    if line.startswith('go'):\n        print('bestmove resign', flush=True)\n"
    fairy: Tables = {
        "name": "other",
        "command": [sys.executable, "-S", "-E", "-c", offering + resigning],
        "protocol": "uci",
        "options": {"UCI_Variant": "go"},
    }
    games = bench.play([fairy, {"name": "random", "player": "random"}], tournament={"game": "go9"})
    assert {one.termination for one in games} == {"resignation"}
