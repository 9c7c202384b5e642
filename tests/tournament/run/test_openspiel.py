"""Every game of OpenSpiel through the manager: `mcts` with two simulations against `random`."""

from __future__ import annotations

import pytest

from games.openspiel import loaded_game
from games.openspiel_library import PREFIX, playable_names
from tests.patience import PATIENCE
from tests.tournament.schedules import Bench
from tournament.game import GameRecord
from tournament.play.referee import Referee
from tournament.report.writing import write_report
from tournament.termination import Termination

pytestmark = pytest.mark.programs
PLIES = 300
NAMES = [name for name in playable_names() if loaded_game(PREFIX + name).takes_turns]
PLAYERS = [
    {"name": "mcts", "player": "mcts", "options": {"simulations": 2, "seed": 1}},
    {"name": "random", "player": "random", "options": {"seed": 2}},
]


def played(bench: Bench, name: str, plies: int) -> list[GameRecord]:
    """Play two games at once; one is ended after a number of plies at the latest."""
    return bench.play(
        PLAYERS,
        tournament={"game": PREFIX + name, "concurrency": 2},
        limit={"movetime_ms": 1000 * int(PATIENCE), "startup_s": PATIENCE},
        adjudication={"max_plies": plies},
    )


def check(name: str, games: list[GameRecord], plies: int) -> None:
    """Check that the games are those of the library's rules."""
    assert len(games) == 2
    for one in games:
        referee = Referee(loaded_game(PREFIX + name), one.moves)
        if len(one.moves) < plies:
            assert one.termination is Termination.RULES
        assert one.termination in {Termination.RULES, Termination.ADJUDICATION}, one.detail
        assert (referee.outcome is None) == (one.termination is Termination.ADJUDICATION)
        assert referee.outcome is None or referee.outcome.result is one.result


@pytest.mark.parametrize("name", NAMES)
def test_two_games_are_played(bench: Bench, name: str) -> None:
    check(name, played(bench, name, PLIES), PLIES)


@pytest.mark.soak
@pytest.mark.parametrize("name", NAMES)
def test_two_games_are_played_to_their_end(bench: Bench, name: str) -> None:
    check(name, played(bench, name, 4096), 4096)


def test_a_game_with_parameters_is_rated_and_reported(bench: Bench) -> None:
    name = "breakthrough(rows=5,columns=4)"
    check(name, played(bench, name, PLIES), PLIES)
    folder = bench.results / "test"
    assert set(write_report(folder).names) == {"mcts", "random"}
    assert f'[Game "{PREFIX}{name}"]' in (folder / "games.pgn").read_text("utf-8")
    assert bench.play() == bench.games(), "a finished run stays as it is"
