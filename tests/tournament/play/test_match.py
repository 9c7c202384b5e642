"""The match in simulated time, with players that are lists of moves."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Sequence
from typing import Any, cast

import pytest

from fiedler import games, protocol
from fiedler.games.result import Result
from fiedler.protocol import Limit
from fiedler.protocol.ugi import State, UgiClient
from fiedler.tournament.evaluation import evaluation
from fiedler.tournament.play.adjudicator import make_adjudicator
from fiedler.tournament.play.clock import make_clock
from fiedler.tournament.play.match import Match
from fiedler.tournament.play.referee import Outcome, Referee
from fiedler.tournament.play.session import Fault, PlayerSession
from fiedler.tournament.schedule.schedule import Adjudication, LimitSection
from fiedler.tournament.termination import Termination
from tests.patience import PATIENCE


class Timer:
    def __init__(self, when: float, callback: Callable[[], None]) -> None:
        self._when, self.callback = when, callback
        self.cancelled = False

    def when(self) -> float:
        return self._when

    def cancel(self) -> None:
        self.cancelled = True


class World:
    """The clock of an event loop: `advance` moves it and fires the timers that are due."""

    def __init__(self) -> None:
        self.now = 0.0
        self.timers: list[Timer] = []

    def time(self) -> float:
        return self.now

    def create_future(self) -> asyncio.Future[Any]:
        return asyncio.get_running_loop().create_future()

    def call_at(self, when: float, callback: Callable[[], None]) -> Timer:
        self.timers.append(Timer(when, callback))
        return self.timers[-1]

    def advance(self, seconds: float) -> None:
        self.now += seconds
        due = [timer for timer in self.timers if timer.when() <= self.now and not timer.cancelled]
        for timer in due:
            self.timers.remove(timer)
            timer.callback()


class Script:
    """A session whose answers a test gives."""

    def __init__(self, name: str) -> None:
        self.player = name
        self.fault: Fault | None = None
        self.is_ending = False
        self.asked_from = 0.0
        self.waits_since = math.inf
        self.has_unread = False
        self.listener: Match | None = None
        self.asked: list[list[str]] = []
        self.limits: list[object] = []
        self.last_score: int | None = None
        self.lag_credit = 0.0
        self.wrong_answer = self.mistake = self.move_line = ""

    def keep_info(self) -> Callable[[], protocol.Info]:
        return lambda score=self.last_score: protocol.Info(score_cp=score)  # type: ignore[misc]

    def go(self, moves: Sequence[str], limit: object, start: str) -> None:
        assert start == "startpos"
        self.asked.append([*moves])
        self.limits.append(limit)


class Board:
    """A match between two scripts; `say` is the answer of one of them."""

    def __init__(
        self,
        limit: LimitSection,
        opening: Sequence[str] = (),
        game: str = "tictactoe",
        rules: Adjudication | None = None,
    ) -> None:
        self.world = World()
        self.scripts = (Script("a"), Script("b"))
        self.referee = Referee(games.game(game), opening)
        sessions = cast("Sequence[PlayerSession]", self.scripts)
        loop = cast("asyncio.AbstractEventLoop", self.world)
        judge = make_adjudicator(rules or Adjudication(), self.referee, ("a", "b"))
        self.match = Match(self.referee, make_clock(limit), sessions, loop, judge, self.world.time)
        self.task = asyncio.create_task(self.match.play())

    def say(self, side: int, move: str | None, after: float = 0.01, score: int | None = None) -> None:
        self.world.advance(after)
        self.scripts[side].last_score = score
        self.match.moved(cast("PlayerSession", self.scripts[side]), move)

    async def outcome(self) -> Outcome:
        async with asyncio.timeout(PATIENCE):
            return await self.task


async def begin(limit: LimitSection | None = None, opening: Sequence[str] = (), game: str = "tictactoe") -> Board:
    board = Board(limit or LimitSection(movetime_ms=100, margin_ms=50), opening, game)
    await asyncio.sleep(0)
    return board


async def test_a_game_is_played_to_the_end() -> None:
    board = await begin()
    for ply, move in enumerate(("a1", "b1", "a2", "b2", "a3")):
        board.say(ply % 2, move)
    assert await board.outcome() == Outcome(Result.FIRST_WIN, Termination.RULES, "three in a row")
    assert board.scripts[1].asked == [["a1"], ["a1", "b1", "a2"]]
    assert all(script.listener is None for script in board.scripts)


async def test_the_reports_and_times_of_legal_moves_are_kept() -> None:
    board = await begin(opening=("a1",))
    board.say(1, "b1", 0.02, score=-5)
    board.say(0, "a2", 0.03)
    board.say(1, "a2", 0.04, score=7)
    assert (await board.outcome()).termination == "illegal move"
    kept = [(evaluation(read(), seconds).score_cp, round(seconds, 6)) for read, seconds in board.match.kept]
    assert kept == [(-5, 0.02), (None, 0.03)]


async def test_the_opening_decides_the_side_to_move() -> None:
    board = await begin(opening=("a1",))
    assert [script.asked for script in board.scripts] == [[], [["a1"]]]
    board.say(1, "a1")
    assert await board.outcome() == Outcome(
        Result.FIRST_WIN, Termination.ILLEGAL_MOVE, "b, ply 2: move a1: not legal in O;.../.../X..; a1 is taken"
    )


async def test_the_detail_names_the_rule_against_a_move() -> None:
    board = await begin(opening=("g8", "j5", "f8", "k6", "h9", "d12", "h10", "e4"), game="renju15")
    board.say(0, "h8")
    outcome = await board.outcome()
    assert (outcome.result, outcome.termination) == ("0-1", "illegal move")
    assert outcome.detail.startswith("a, ply 9: move h8: not legal (double three) in X;")


async def test_a_move_out_of_turn_is_ignored() -> None:
    board = await begin()
    board.say(1, "b1")
    board.say(0, "a1")
    assert board.referee.moves == ["a1"]
    board.task.cancel()


@pytest.mark.parametrize(("after", "late"), [(0.149, False), (0.151, True)])
async def test_a_move_is_late_after_limit_and_margin(after: float, late: bool) -> None:
    board = await begin()
    board.say(0, "a1", after)
    assert board.task.done() is False
    await asyncio.sleep(0)
    assert (board.referee.moves == []) is late
    if late:
        assert await board.outcome() == Outcome(
            Result.SECOND_WIN, Termination.TIME, "a used 151 ms of 150 ms allowed: 100 ms a move, 50 ms margin"
        )
    else:
        board.task.cancel()


@pytest.mark.parametrize(("after", "late"), [(5.149, False), (5.151, True)])
async def test_the_start_of_a_program_does_not_count_as_the_time_of_its_first_move(after: float, late: bool) -> None:
    board = Board(LimitSection(movetime_ms=100, margin_ms=50))
    board.scripts[0].asked_from = 5.0
    await asyncio.sleep(0)
    board.say(0, "a1", after=after)
    if late:
        assert (await board.outcome()).detail.startswith("a used 151 ms of 150 ms allowed: 100 ms a move, 50 ms margin")
        return
    board.scripts[0].asked_from = 0.0  # after its first bytes
    board.say(1, "b1")
    board.say(0, "a2", after=0.151)
    assert (await board.outcome()).termination == "time"


async def test_a_silent_player_loses_when_its_time_is_up() -> None:
    board = await begin()
    board.say(0, "a1", 0.1)
    board.world.advance(0.06)  # the timer of the first move fires and must arm itself again
    assert not board.match._done.done()
    board.world.advance(0.1)
    assert await board.outcome() == Outcome(
        Result.FIRST_WIN, Termination.TIME, "b used 160 ms of 150 ms allowed: 100 ms a move, 50 ms margin"
    )


async def test_the_timer_follows_the_shorter_clock_of_the_other_side() -> None:
    board = await begin(LimitSection(base_ms=1000, margin_ms=50))
    board.say(0, "a1", 0.1)
    board.say(1, "b1", 0.9)
    board.say(0, "a2", 0.1)
    board.world.advance(0.16)  # the second side had 100 ms left, the first 800
    assert await board.outcome() == Outcome(
        Result.FIRST_WIN, Termination.TIME, "b used 160 ms of 150 ms allowed: 100 ms left on its clock, 50 ms margin"
    )


async def test_a_player_can_be_lost_while_the_other_one_thinks() -> None:
    board = await begin()
    board.match.lost(cast("PlayerSession", board.scripts[1]), Fault(Termination.CRASH, "exited with status 1"))
    assert await board.outcome() == Outcome(Result.FIRST_WIN, Termination.CRASH, "b exited with status 1")


async def test_a_player_can_be_lost_before_the_first_move() -> None:
    board = Board(LimitSection(nodes=1))
    board.scripts[0].fault = Fault(Termination.DISCONNECT, "closed the connection")
    assert await board.outcome() == Outcome(Result.SECOND_WIN, Termination.DISCONNECT, "a closed the connection")


async def test_a_player_whose_stream_ended_is_not_late() -> None:
    board = await begin()
    board.scripts[0].is_ending = True
    board.world.advance(1.0)
    board.match.lost(cast("PlayerSession", board.scripts[0]), Fault(Termination.DISCONNECT, "closed its output"))
    assert (await board.outcome()).termination == "disconnect"


async def test_resignation_and_an_empty_move_lose() -> None:
    board = await begin()
    board.say(0, "resign")
    assert await board.outcome() == Outcome(Result.SECOND_WIN, Termination.RESIGNATION, "a resigns")
    board = await begin()
    board.say(0, None)
    assert (await board.outcome()).termination == "illegal move"


@pytest.mark.parametrize(
    ("move", "wrong"),
    [
        ("A1", "move: expected a1 to c3, got 'A1'; did you mean 'a1'?"),
        ("1b.", "move: expected a1 to c3, got '1b.'; did you mean 'b1'?"),
        ("e5", "move: expected a1 to c3, got 'e5'"),
        ("c3", "move c3: not legal in O;..X/.../...; c3 is taken"),
    ],
)
async def test_a_misspelled_move_gets_a_hint(move: str, wrong: str) -> None:
    board = await begin(opening=("c3",))
    board.say(1, move)
    assert (await board.outcome()).detail == f"b, ply 2: {wrong}"


async def test_the_last_move_again_is_reported() -> None:
    board = await begin()
    board.say(0, "a1")
    board.say(1, "b1")
    board.say(0, "a1")
    outcome = await board.outcome()
    assert outcome.detail == ("a, ply 3: move a1: not legal in X;.../.../XO.; its last move again")


@pytest.mark.parametrize(
    ("game", "opening", "move", "why"),
    [
        ("connect4", "g g g g g g", "g", "column g is full"),
        ("uttt", "e5 d4", "e6", "play on the bottom left board"),
        ("renju15", "g8 j5 f8 k6 h9 d12 h10 e4", "h8", "h8 is forbidden for Black (X): double three"),
    ],
)
async def test_the_reason_against_a_move_is_that_of_the_board(game: str, opening: str, move: str, why: str) -> None:
    """A column may be played six times: that it was the last move, too, is no mistake."""
    board = await begin(opening=opening.split(), game=game)
    board.say(0, move)
    assert (await board.outcome()).detail.endswith(f"; {why}")


async def test_a_failure_ends_with_the_wrong_answer() -> None:
    board = await begin()
    board.scripts[0].mistake = "; it sent 'x'"
    board.world.advance(0.2)
    assert (await board.outcome()).detail == "a used 200 ms of 150 ms allowed: 100 ms a move, 50 ms margin; it sent 'x'"
    board = await begin()
    board.scripts[0].wrong_answer = "; it sent 'bestmove', expected 'bestmove MOVE'"
    board.say(0, None)
    assert (await board.outcome()).detail == (
        "a, ply 1: no move, but legal moves exist; it sent 'bestmove', expected 'bestmove MOVE'"
    )


async def test_a_bug_in_the_manager_surfaces() -> None:
    board = await begin()
    board.referee._position = None  # type: ignore[assignment]
    board.say(0, "a1")
    with pytest.raises(AttributeError):
        await board.outcome()


def lose(board: Board, side: int) -> None:
    """Cut the line to one side, which may return."""
    board.match.may_return = lambda _side, _fault: True
    script = board.scripts[side]
    script.fault, script.is_ending = Fault(Termination.DISCONNECT, "closed the connection"), True
    board.match.lost(cast("PlayerSession", script), script.fault)


def come_back(board: Board, side: int) -> Script:
    script = Script("ab"[side])
    board.match.returned(side, cast("PlayerSession", script))
    return script


async def test_a_player_that_returns_on_turn_gets_the_time_left() -> None:
    board = await begin(LimitSection(movetime_ms=1000, margin_ms=0))
    board.world.advance(0.1)
    lose(board, 0)
    board.world.advance(0.3)
    again = come_back(board, 0)
    assert again.asked == [[]]
    assert again.limits == [protocol.Limit(movetime_ms=600)]
    board.world.advance(0.7)
    assert (await board.outcome()).detail == "a used 1100 ms of 1000 ms allowed: 1000 ms a move"


async def test_a_player_that_returns_off_turn_is_asked_on_its_turn() -> None:
    board = await begin(LimitSection(base_ms=1000))
    lose(board, 1)
    again = come_back(board, 1)
    board.say(0, "a1", after=0.2)
    assert (again.asked, board.scripts[1].asked) == ([["a1"]], [])
    assert again.limits == [protocol.Limit(p1time_ms=800, p2time_ms=1000, p1inc_ms=0, p2inc_ms=0)]
    board.task.cancel()


async def test_the_turn_of_a_lost_player_begins_with_its_clock() -> None:
    board = await begin(LimitSection(movetime_ms=1000, margin_ms=0))
    lose(board, 1)
    board.say(0, "a1")
    assert board.scripts[1].asked == []
    board.world.advance(0.25)
    assert come_back(board, 1).limits == [protocol.Limit(movetime_ms=750)]
    board.task.cancel()


async def test_a_lost_player_loses_on_time() -> None:
    board = await begin(LimitSection(movetime_ms=1000, margin_ms=0))
    lose(board, 0)
    board.world.advance(1.5)
    expected = "a used 1500 ms of 1000 ms allowed: 1000 ms a move; it closed the connection"
    assert await board.outcome() == Outcome(Result.SECOND_WIN, Termination.TIME, expected)


async def test_a_lost_player_that_stays_away_loses() -> None:
    board = await begin()
    lose(board, 1)
    board.match.gone(1, Fault(Termination.DISCONNECT, "did not return"))
    assert await board.outcome() == Outcome(Result.FIRST_WIN, Termination.DISCONNECT, "b did not return")
    board.match.returned(1, cast("PlayerSession", Script("b")))


async def test_a_player_that_is_lost_on_its_return_may_return_again() -> None:
    board = await begin()
    lose(board, 0)
    gone = Script("a")
    gone.fault = Fault(Termination.DISCONNECT, "closed the connection")
    board.match.returned(0, cast("PlayerSession", gone))
    assert gone.asked == []
    assert come_back(board, 0).asked == [[]]
    board.task.cancel()


async def test_a_game_whose_moves_do_not_fit_on_a_line_is_a_draw() -> None:
    board = await begin()
    client = UgiClient()

    def go(moves: Sequence[str], limit: object, start: str) -> None:
        del limit
        client._state = State.IDLE
        client.search([move * 9000 for move in moves], Limit(nodes=1), start)

    for script in board.scripts:
        script.go = go  # type: ignore[method-assign]
    for ply, move in enumerate(("a1", "b1", "a2", "b2")):
        board.say(ply % 2, move)
    assert await board.outcome() == Outcome(
        Result.DRAW,
        Termination.ADJUDICATION,
        "the position line: expected at most 65536 bytes on a line, got 72027",
    )


async def test_lag_is_subtracted_from_the_time_of_a_move() -> None:
    board = Board(LimitSection(movetime_ms=100, margin_ms=0))
    board.scripts[0].lag_credit = 0.05
    await asyncio.sleep(0)
    board.say(0, "a1", after=0.14)
    board.world.advance(0.12)
    assert (await board.outcome()).detail == "b used 120 ms of 100 ms allowed: 100 ms a move"
    assert board.match._clock.used == pytest.approx([0.09, 0.12])


async def adjudicated(rules: Adjudication, scores: Sequence[int | None]) -> tuple[int, Outcome | None]:
    """Return the moves of an adjudicated game of Connect 4 with these scores, and its outcome, if it had one."""
    board = Board(LimitSection(movetime_ms=100), (), "connect4", rules)
    await asyncio.sleep(0)
    for ply, score in enumerate(scores):
        board.say(ply % 2, "abcdefg"[ply // 6], 0.001, score)
        if board.match._done.done():
            return ply + 1, await board.outcome()
    board.task.cancel()
    return len(scores), None


RESIGN = Adjudication(resign_score=500, resign_moves=2)
DRAWN = Adjudication(draw_score=10, draw_moves=2, draw_after=6)


@pytest.mark.parametrize(
    ("rules", "scores", "plies", "result"),
    [
        (RESIGN, [-500, 500, -600, 900], 4, Result.SECOND_WIN),
        (RESIGN, [0, 500, -500, 500, -500], 5, Result.SECOND_WIN),
        (RESIGN, [500, -500, 500, -500], 4, Result.FIRST_WIN),
        (RESIGN, [-500, 499, -600, 900], 4, None),
        (RESIGN, [-500, 500, None, 500, -500, 500], 6, None),
        (RESIGN, [900, 900, 900, 900, 900], 5, None),
        (DRAWN, [0] * 8, 6, Result.DRAW),
        (DRAWN, [50, 50, 50, 10, -10, 10, -10], 7, Result.DRAW),
        (DRAWN, [0, 0, 0, 11, 0, 0, 0], 7, None),
        (DRAWN, [0, 0, 0, None, 0, 0, 0], 7, None),
        (Adjudication(max_plies=5), [None] * 6, 5, Result.DRAW),
    ],
)
async def test_adjudication_ends_the_game_at_its_ply(
    rules: Adjudication, scores: list[int | None], plies: int, result: Result | None
) -> None:
    ended, outcome = await adjudicated(rules, scores)
    assert ended == plies
    assert (outcome.result if outcome else None) == result
    assert outcome is None or outcome.termination == "adjudication"


async def test_adjudication_gives_its_reason() -> None:
    _, outcome = await adjudicated(RESIGN, [-500, 500] * 2)
    detail = "both players report that a is lost: beyond 500 cp for 2 moves of each side"
    assert outcome == Outcome(Result.SECOND_WIN, Termination.ADJUDICATION, detail)
    _, outcome = await adjudicated(DRAWN, [0] * 6)
    assert outcome is not None
    assert outcome.detail == "both players report an even position: within 10 cp for 2 moves of each side"
    _, outcome = await adjudicated(Adjudication(max_plies=3), [None] * 3)
    assert outcome == Outcome(Result.DRAW, Termination.ADJUDICATION, "3 plies played, of 3 at most")


async def test_a_proof_that_nobody_can_win_is_a_draw() -> None:
    for proof, ended in ((False, False), (True, True)):
        board = Board(LimitSection(movetime_ms=100), (), "tictactoe", Adjudication(proof=proof))
        await asyncio.sleep(0)
        for ply, move in enumerate(("b2", "a3", "c3", "a1", "a2", "c2", "c1", "b3")):
            board.say(ply % 2, move)
        assert board.match._done.done() is ended
        if ended:
            expected = Outcome(Result.DRAW, Termination.ADJUDICATION, "proof: no line is open to either side")
            assert await board.outcome() == expected
        board.task.cancel()


async def test_a_proof_of_a_win_by_fours_ends_the_game() -> None:
    opening = ("h8", "a1", "h9", "a3", "h10", "a5")
    board = Board(LimitSection(movetime_ms=100), opening, "gomoku15", Adjudication(proof=True))
    await asyncio.sleep(0)
    board.say(0, "o1")
    board.say(1, "a7")
    outcome = await board.outcome()
    assert (outcome.result, outcome.termination) == (Result.FIRST_WIN, "adjudication")
    assert outcome.detail.startswith("proof: a wins by force within 3 plies, h")


async def test_the_rules_come_before_adjudication() -> None:
    board = Board(
        LimitSection(movetime_ms=100), ("a1", "b1", "a2", "b2"), "tictactoe", Adjudication(max_plies=5, proof=True)
    )
    await asyncio.sleep(0)
    board.say(0, "a3")
    assert await board.outcome() == Outcome(Result.FIRST_WIN, Termination.RULES, "three in a row")


async def test_a_move_that_waited_for_the_loop_is_in_time() -> None:
    board = await begin()
    board.scripts[0].has_unread = True
    board.world.advance(0.3)  # the loop was busy at the deadline, 0.15 s
    board.scripts[0].has_unread = False
    board.match.moved(cast("PlayerSession", board.scripts[0]), "a1", board.world.now)
    assert not board.task.done()
    assert board.scripts[1].asked == [["a1"]]
    assert board.match.kept[0][1] == pytest.approx(0.15)
    board.world.advance(0.1)
    board.match.moved(cast("PlayerSession", board.scripts[1]), "b1", board.world.now)
    assert board.scripts[0].asked[-1] == ["a1", "b1"]
    board.task.cancel()


async def test_bytes_that_wait_at_the_deadline_are_read_first() -> None:
    board = await begin()
    board.scripts[0].waits_since = 0.1
    for _ in range(20):
        board.world.advance(0.2)
    board.match.moved(cast("PlayerSession", board.scripts[0]), "a1", 0.1)
    assert board.scripts[1].asked == [["a1"]]
    assert board.match.kept[0][1] == pytest.approx(0.1)
    board.task.cancel()


async def test_bytes_after_the_deadline_save_nobody() -> None:
    board = await begin()
    board.scripts[0].has_unread = True
    board.world.advance(0.2)
    board.scripts[0].waits_since = 0.3  # read after the second look
    board.world.advance(0.01)
    outcome = await board.outcome()
    assert outcome.termination == "time"
