"""Every game of OpenSpiel through the manager: `mcts` with two simulations against `random`."""

from __future__ import annotations

import re
import shutil
from collections import Counter
from pathlib import Path

import pytest

from fiedler.games.openings import Opening
from fiedler.games.openspiel import loaded_game
from fiedler.games.openspiel_library import PREFIX, playable_names
from fiedler.games.result import Result
from fiedler.support.errors import UsageError, UsageErrors
from fiedler.tournament.game import GameRecord
from fiedler.tournament.play.referee import Referee
from fiedler.tournament.report.writing import write_report
from fiedler.tournament.schedule.opening_file import OpeningFile
from fiedler.tournament.termination import Termination
from tests.patience import PATIENCE
from tests.programs import need
from tests.tournament.schedules import Bench, Tables, shipped_games

pytestmark = pytest.mark.programs
PLIES = 300
NAMES = playable_names()
PLAYERS: list[Tables] = [
    {"name": "mcts", "player": "mcts", "options": {"simulations": 2, "seed": 1}},
    {"name": "random", "player": "random", "options": {"seed": 2}},
]


def played(bench: Bench, name: str, plies: int, at_once: int = 1) -> list[GameRecord]:
    """Play two games, each ended after `plies` at the latest; `mcts` has a process for each game `at_once`."""
    return bench.play(
        PLAYERS,
        tournament={"game": PREFIX + name, "concurrency": at_once},
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
    check(name, played(bench, name, PLIES, at_once=2), PLIES)
    folder = bench.results / "test"
    assert set(write_report(folder).names) == {"mcts", "random"}
    assert f'[Game "{PREFIX}{name}"]' in (folder / "games.pgn").read_text("utf-8")
    assert bench.play() == bench.games(), "a finished run stays as it is"


BREAKTHROUGH = PREFIX + "breakthrough(rows=6,columns=6)"


def test_openings_may_be_lists_of_actions(bench: Bench) -> None:
    (bench.folder / "lines.txt").write_text("88,306,112 a3a4\n88,306 moves a6b5 # and on\n88,306\n", "utf-8")
    games = bench.play(
        PLAYERS,
        tournament={"game": BREAKTHROUGH, "games_per_pair": 6},
        openings={"file": str(bench.folder / "lines.txt")},
        limit={"movetime_ms": 1000 * int(PATIENCE), "startup_s": PATIENCE},
    )
    begun = Counter((one.start, one.opening) for one in games)
    assert begun == {("88,306,112", ("a3a4",)): 2, ("88,306", ("a6b5",)): 2, ("88,306", ()): 2}
    for one in games:
        assert one.termination is Termination.RULES
        assert one.moves[: len(one.opening)] == one.opening
        end = loaded_game(BREAKTHROUGH).position(one.start, one.moves)
        assert end.result is not None
        assert one.result is Result.of(end.result)
    write_report(bench.results / "test")
    pgn = (bench.results / "test" / "games.pgn").read_text("utf-8")
    assert pgn.count('[FEN "88,306,112"]') == 2
    assert bench.play() == games, "a finished run stays as it is"


def test_a_position_that_is_a_move_is_a_start_before_moves(tmp_path: Path) -> None:
    path = tmp_path / "lines.txt"
    path.write_text("2,4\n2,4 moves\n2,4 moves 0,0\n2,4,7 0,0\n", "utf-8")
    assert OpeningFile.read(loaded_game("openspiel:gomoku"), path).openings == [
        Opening(("2,4",)),
        Opening((), "2,4"),
        Opening(("0,0",), "2,4"),
        Opening(("0,0",), "2,4,7"),
    ]


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("88,306,0", "position: action 3: expected a legal one, got 0"),
        ("88,306 a6b5 a6b5", "move: expected a legal move such as a3a4, got 'a6b5' in 88,306,4"),
    ],
)
def test_a_wrong_list_of_actions_is_refused_by_its_line(tmp_path: Path, line: str, why: str) -> None:
    path = tmp_path / "lines.txt"
    path.write_text(f"# a comment\n{line}\n", "utf-8")
    with pytest.raises(UsageError, match=rf"lines.txt:2: {re.escape(why)}"):
        OpeningFile.read(loaded_game(BREAKTHROUGH), path)


BOT = """
import pyspiel

class Last(pyspiel.Bot):
    def __init__(self, game, player):
        super().__init__()

    def step(self, state):
        return state.legal_actions()[-1]

class Broken(Last):
    def step(self, state):
        raise ValueError("no idea")
"""


def test_bots_of_ones_own_beside_the_schedule(bench: Bench) -> None:
    (bench.folder / "spiel_bots.py").write_text(BOT, "utf-8")
    last = {"name": "last", "player": "python:spiel_bots.Last"}
    broken = {"name": "broken", "player": "python:spiel_bots.Broken"}
    games = bench.play(
        [PLAYERS[1], last, broken],
        tournament={"game": "openspiel:mancala"},
        openings={"plies": 2},
        limit={"movetime_ms": 1000 * int(PATIENCE), "startup_s": PATIENCE},
    )
    assert len(games) == 6
    for one in games:
        if "broken" in {one.first, one.second}:
            assert (one.loser, one.termination) == ("broken", Termination.ILLEGAL_MOVE)
            assert "player python:spiel_bots.Broken: ValueError: no idea" in one.detail
        else:
            assert (one.termination, one.detail) == (Termination.RULES, "more seeds")


def test_the_shipped_schedule_is_played(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    games = shipped_games("openspiel", "nodes = 200", "nodes = 10")
    assert len(games) == 30
    assert {one.termination for one in games} == {Termination.RULES}


POINTS = {
    "go(board_size=5,max_game_length=100)": "PASS",
    "hex(board_size=5)": "",
    "othello": "pass",
}
"""Games whose moves are points, and the end of their word for a pass."""


@pytest.mark.parametrize("name", POINTS)
def test_a_game_is_the_same_over_gtp_and_over_ugi(bench: Bench, name: str) -> None:
    played = []
    for protocol in ("gtp", "ugi"):
        bench.results = bench.folder / protocol
        games = bench.play(
            [{"name": seed, "player": "random", "options": {"seed": seed}, "protocol": protocol} for seed in "12"],
            tournament={"game": PREFIX + name, "games_per_pair": 4},
            openings={"plies": 2},
            limit={"movetime_ms": 1000 * int(PATIENCE), "startup_s": PATIENCE},
        )
        assert {one.termination for one in games} == {Termination.RULES}
        played.append([(one.id, one.moves, one.result) for one in games])
    assert played[0] == played[1]
    if POINTS[name]:
        assert any(move.endswith(POINTS[name]) for _, moves, _ in played[0] for move in moves)


def test_othello_against_a_program_that_speaks_gtp(bench: Bench) -> None:
    need("gtp-rhino")
    rhino = {"name": "rhino", "command": [shutil.which("gtp-rhino") or "/usr/games/gtp-rhino"], "protocol": "gtp"}
    games = bench.play(
        [{**PLAYERS[1], "protocol": "gtp"}, rhino],
        tournament={"game": "openspiel:othello", "games_per_pair": 6},
        openings={"plies": 3},
        limit={"movetime_ms": 1000 * int(PATIENCE), "startup_s": PATIENCE},
    )
    assert len(games) == 6
    assert {(one.termination, one.detail) for one in games} == {(Termination.RULES, "more discs")}
    assert all(one.loser == "random" for one in games)
    assert any("pass" in one.moves for one in games)


def test_gtp_is_for_games_whose_moves_are_points(bench: Bench) -> None:
    players = [PLAYERS[1], {"name": "other", "command": ["other"], "protocol": "gtp"}]
    with pytest.raises(
        UsageError, match=r"players 'other'.protocol: gtp has no names for the moves of openspiel:chess"
    ):
        bench.play(players, tournament={"game": "openspiel:chess"}, adjudication={"max_plies": 200})


def test_what_needs_the_core_is_refused_by_key(bench: Bench) -> None:
    with pytest.raises(UsageErrors) as refused:
        bench.play(
            PLAYERS,
            tournament={"game": "openspiel:hex"},
            adjudication={"proof": True},
            openings={"plies": 2, "balance": "negamax nodes=10"},
        )
    assert [line.partition(": ")[2] for line in str(refused.value).splitlines()] == [
        "openings.balance: expected one of our games, got 'openspiel:hex'",
        "adjudication.proof: expected one of our games, got 'openspiel:hex'",
    ]
    with pytest.raises(UsageError, match=r"tournament.game: unknown game 'openspiel:hexx'; did you mean 'hex'\?"):
        bench.play(PLAYERS, tournament={"game": "openspiel:hexx"})
