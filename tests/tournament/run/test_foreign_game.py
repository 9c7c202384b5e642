"""A game without a core and without a board: played by programs of others, rated, reported, and read again."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import pytest

from fiedler import games
from fiedler.games.errors import IllegalMoveError, PositionError
from fiedler.games.forced_win import forced_win
from fiedler.games.position import ForcedWin
from fiedler.games.refusal import refusal
from fiedler.games.replay import TextReplay, replay
from fiedler.games.result import Result
from fiedler.support.errors import UsageError
from fiedler.tournament.game import GameRecord, reason
from fiedler.tournament.play.adjudicator import Adjudicator
from fiedler.tournament.play.referee import Outcome, Referee
from fiedler.tournament.report.run import Run
from fiedler.tournament.report.sgf import sgf
from fiedler.tournament.report.writing import write_report
from fiedler.tournament.schedule.schedule import Adjudication
from fiedler.tournament.termination import Termination
from tests.patience import PATIENCE
from tests.take import TAKE, Take
from tests.tournament.schedules import PLAYERS, Bench, Tables

DRAW = "a counter that nobody may take"


@pytest.fixture(autouse=True)
def registered() -> Iterator[None]:
    games.register(TAKE)
    yield
    del games.REGISTERED[TAKE.id]


def taker(name: str) -> Tables:
    return {"name": name, "command": [sys.executable, "-S", "-E", str(PLAYERS / "take.py"), name]}


@pytest.fixture
def played(bench: Bench) -> list[GameRecord]:
    """The games from each opening of two plies, with both colours."""
    return bench.play(
        [taker("least"), taker("most")],
        tournament={"game": "take", "games_per_pair": 12},
        openings={"plies": 2},
        limit={"nodes": 1, "startup_s": PATIENCE},
    )


@pytest.mark.programs
def test_a_schedule_is_played_rated_and_reported(bench: Bench, played: list[GameRecord]) -> None:
    assert Counter((one.loser, reason(one)) for one in played) == {
        ("least", "the last counter"): 6,
        ("most", "the last counter"): 3,
        (None, DRAW): 3,
    }
    assert len({one.opening for one in played}) == 6
    folder = bench.results / "test"
    assert write_report(folder).names == ("most", "least")
    assert (folder / "games.pgn").read_text("utf-8").count(f'[TerminationDetail "rules: {DRAW}"]') == 3
    page = (folder / "report.html").read_text("utf-8")
    assert '"geometry":null' in page
    assert '["X;11;0",' in page, "its boards are text"
    assert not list(folder.glob("figures/*-moves.svg")), "first moves have no cells"
    with pytest.raises(UsageError, match=r"^sgf: expected a game of stones on a board, got take$"):
        list(sgf(Run.read(folder)))


@pytest.mark.programs
def test_a_run_resumes_after_a_replay_by_the_rules(bench: Bench, played: list[GameRecord]) -> None:
    assert bench.play() == played


def test_the_referee_has_the_words_of_the_game() -> None:
    assert Referee(TAKE, "31313").outcome == Outcome(Result.FIRST_WIN, Termination.RULES, "the last counter")
    assert Referee(TAKE, "31321").outcome == Outcome(Result.DRAW, Termination.RULES, DRAW)
    referee = Referee(TAKE, "31")
    with pytest.raises(IllegalMoveError, match="got '1' in X;7;1"):
        referee.play("1")
    assert (referee.moves, referee.refusal("1")) == (["3", "1"], "")
    assert refusal(TAKE, referee.position, "1") == "move: expected a number to take, got '1'"


def test_a_replay_is_text() -> None:
    shown = replay(TAKE, "31321")
    assert isinstance(shown, TextReplay)
    assert shown.boards == ("X;11;0", "O;8;3", "X;7;1", "O;4;3", "X;2;2", "O;1;1")
    assert (shown.changes, shown.legal, shown.result, shown.text) == ((), (), "1/2-1/2", f"draw by {DRAW}")
    assert replay(TAKE, "313").text == "Second to move"
    with pytest.raises(PositionError, match=r"^position: expected SIDE;HEAP;LAST, got 'x'$"):
        replay(TAKE, [], "x")


class Solved(Take):
    """With a search of its own, which sees the last counters alone."""

    def forced_win(self, nodes: int) -> ForcedWin | None:
        return (1, [self.heap]) if nodes and self.heap in self.legal_moves() else None


def test_a_proof_needs_a_solver() -> None:
    assert forced_win(Take("X;3;1"), 300) is None
    assert forced_win(Solved("X;3;1"), 300) == (1, [3])
    assert judged(TAKE) is None
    assert judged(replace(TAKE, rules=Solved)) == Outcome(
        Result.FIRST_WIN, Termination.ADJUDICATION, "proof: a wins by force within 1 ply, 3"
    )


def judged(game: games.AnyGame) -> Outcome | None:
    """Return the decision by proof before a last move."""
    adjudicator = Adjudicator(Adjudication(proof=True), Referee(game, "3131"), ["a", "b"])
    return adjudicator.judge(1, None)


class Seen(Take):
    """With a grid, the row of its counters: no page has the geometry of a game in Python."""

    num_actions = 4
    planes_shape = (1, 1, 11)

    @property
    def cells(self) -> bytes:
        return bytes([1] * self.heap + [0] * (11 - self.heap))


def test_a_game_in_python_is_text_also_with_a_grid() -> None:
    seen = replace(TAKE, rules=Seen)
    assert replay(seen, "31").boards == ("X;11;0", "O;8;3", "X;7;1")  # type: ignore[attr-defined]
    assert refusal(seen, Seen(), "4") == "move: expected a number to take, got '4'"
