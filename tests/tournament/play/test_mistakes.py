"""The message of a failure has the output of the player and the expected answer, to help its author.

Time is up once the manager has received the output that a test is about: nothing depends on speed.
"""

from __future__ import annotations

import asyncio
import math
import re
from collections.abc import Mapping

import pytest

from fiedler.games import game
from fiedler.games.coordinates import coordinates
from fiedler.protocol.dialects import DIALECTS
from fiedler.protocol.mistake import Mistake, quoted_line
from fiedler.protocol.ugi.client import GO, PING
from fiedler.protocol.ugi.misspelling import move_meant
from fiedler.support.errors import UsageError
from fiedler.tournament.play.match import Match
from fiedler.tournament.play.session import PlayerSession
from fiedler.tournament.run import seats
from fiedler.tournament.run.events import Warned
from tests.tournament.schedules import Bench, player

LOOK_S = 0.005
FOREVER = {"nodes": 1, "stall_s": 600, "startup_s": 600}


def is_known(session: PlayerSession, mistake: str) -> bool:
    """Return whether `bad` has made this mistake, and all its bytes are read: time that is up waits for the others."""
    is_read = math.isinf(session.waits_since) and not session.has_unread
    return session.player == "bad" and session.mistake == mistake and is_read


def move_until(mistake: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """End the time for a move once `bad` has made this mistake, and not before."""

    def arm(match: Match) -> None:
        match._armed_for = 0.0  # no timer: it polls
        if is_known(match._sessions[match._side], mistake):
            match._time = lambda: match._deadline + 1
            match._time_is_up()
        elif not match._done.done():
            match._timer = match._loop.call_later(LOOK_S, arm, match)

    monkeypatch.setattr(Match, "_arm", arm)
    monkeypatch.setattr(seats, "SETTLE_S", LOOK_S)


def start_until(mistake: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """End the time to start once `bad` has made this mistake, and not before."""
    shake_hands = PlayerSession.shake_hands

    async def shake(session: PlayerSession, options: Mapping[str, str]) -> None:
        shaking = asyncio.ensure_future(shake_hands(session, options))
        while not shaking.done():
            await asyncio.wait({shaking}, timeout=LOOK_S)
            if is_known(session, mistake) and not shaking.done():
                shaking.cancel()
                raise TimeoutError
        await shaking

    monkeypatch.setattr(PlayerSession, "shake_hands", shake)


def answering(text: str) -> str:
    """Return the fault of a player that prints this instead of a move."""
    return "says:" + text.encode("unicode_escape").decode()


WRONG_ANSWERS = [
    ("move b1\n", "it sent 'move b1', expected 'bestmove MOVE'"),
    ('{"move": "b1"}\n', """it sent '{"move": "b1"}', expected 'bestmove MOVE'"""),
    ("bestmove b1", "it sent 'bestmove b1' without a newline"),
    ("bestmov b1\n", "it sent 'bestmov b1', expected 'bestmove b1'"),
    ("best move b1\n", "it sent 'best move b1', expected 'bestmove b1'"),
    ("Bestmove: b1\n", "it sent 'Bestmove: b1', expected 'bestmove b1'"),
    ("BESTMOVE=b1\r\nthat was easy\n", "it sent 'BESTMOVE=b1', expected 'bestmove b1'"),
    ("my move: b1\nthat was easy\n", "it sent 'that was easy', expected 'bestmove MOVE'"),
    ("ucimove b1\n", "it sent 'ucimove b1', expected 'bestmove MOVE'"),
    ("info string error: what is go?\n", "it sent 'info string error: what is go?', expected 'bestmove MOVE'"),
    ("\x00\x1b[2J\xff\xfe\n", r"it sent '\x00\x1b[2J\xff\xfe', expected 'bestmove MOVE'"),
    ("\xff\x07 b1", r"it sent '\xff\x07 b1' without a newline"),
    ("x" * 900 + "\n", f"it sent '{'x' * 59}…', expected 'bestmove MOVE'"),
    ("x" * 70_000, f"it sent '{'x' * 59}…', expected 'bestmove MOVE'"),
]


@pytest.mark.programs
@pytest.mark.parametrize(("answer", "message"), WRONG_ANSWERS, ids=map(str, range(len(WRONG_ANSWERS))))
def test_a_wrong_answer_is_quoted(bench: Bench, monkeypatch: pytest.MonkeyPatch, answer: str, message: str) -> None:
    move_until(f"; {message}", monkeypatch)
    games = bench.play([player("good"), player("bad", answering(answer))], limit=FOREVER)
    detail = games[0].detail
    assert re.fullmatch(
        rf"bad used [0-9]+ ms of 600000 ms allowed: 600000 ms by limit.stall_s; {re.escape(message)}", detail
    )
    assert detail.isprintable()
    assert {(game.loser, game.termination) for game in games} == {("bad", "time")}


SILENT = [
    ("silent", 1, "no bestmove after go yet: too slow, or its output is not flushed"),
    ("silent", 2, "no bestmove after go yet"),
    ("early", 1, "it sent 'bestmove a1' before it was asked"),
    ("complains", 2, "no bestmove after go yet; on standard error: KeyError: 'a1'"),
]


@pytest.mark.programs
@pytest.mark.parametrize(("fault", "number", "message"), SILENT, ids=[f"{row[0]} {row[1]}" for row in SILENT])
def test_silence_is_reported_with_likely_reasons(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, fault: str, number: int, message: str
) -> None:
    move_until(f"; {message}", monkeypatch)
    games = bench.play([player("bad", fault, number), player("good")], limit=FOREVER)
    assert all(
        re.fullmatch(
            rf"bad used [0-9]+ ms of 600000 ms allowed: 600000 ms by limit.stall_s; {re.escape(message)}", game.detail
        )
        for game in games
    )


ENDLESS = [
    ("1500:info string still thinking", "no bestmove after go yet, but 1,500 other lines"),
    ("1:info depth 1", "no bestmove after go yet, but 1 other line"),
    ("65:still thinking", "it sent 'still thinking', expected 'bestmove MOVE'; 65 lines since go"),
    ("64:still thinking", "it sent 'still thinking', expected 'bestmove MOVE'"),
]


@pytest.mark.programs
@pytest.mark.parametrize(("output", "message"), ENDLESS, ids=[output for output, _ in ENDLESS])
def test_a_player_that_prints_on_and_on_is_not_called_silent(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, output: str, message: str
) -> None:
    move_until(f"; {message}", monkeypatch)
    games = bench.play([player("good"), player("bad", f"repeats:{output}")], limit=FOREVER)
    assert games[0].detail.endswith(f"by limit.stall_s; {message}")


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("line", ["info string thinking", "# thinking", "MESSAGE thinking", "thinking"])
def test_the_number_of_lines_is_told_in_every_dialect(dialect: str, line: str) -> None:
    client = DIALECTS[dialect].client(coordinates(game("gomoku15" if dialect == "gomocup" else "uttt"), "own"))
    client.mistake.ask(GO)
    client.receive_data(f"{line}\n".encode() * 500 + line[:5].encode())
    mistake = client.mistake
    told = mistake.report(client.unfinished, 500) or mistake.silence(received=True, lines=500)
    assert re.search(r"(but 500 other lines|; 500 lines since go)$", told), told


STARTS = [
    ("mute", "no ugiok after ugi yet: too slow, or its output is not flushed"),
    ("unready", "no readyok after isready yet: too slow, or its output is not flushed"),
    ("nameless", "no ugiok after ugi yet, but 1 other line"),
    ("echo", "it sent 'ugi', expected 'ugiok' after ugi"),
    ("shouts", "it sent 'UGIOK', expected 'ugiok' after ugi"),
    ("no-newline", "it sent 'ugiok' without a newline"),
]


@pytest.mark.programs
@pytest.mark.parametrize(("fault", "message"), STARTS)
def test_a_wrong_answer_at_the_start_is_quoted(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, fault: str, message: str
) -> None:
    start_until(f"; {message}", monkeypatch)
    with pytest.raises(UsageError) as caught:
        bench.play([player("bad", fault, 0), player("good")], limit=FOREVER)
    assert str(caught.value) == f"player 'bad': did not shake hands within 600 s; {message}"


ILLEGAL = [
    ("bestmove B1\n", "bad, ply 2: move: expected a1 to c3, got 'B1'; did you mean 'b1'?"),
    ("bestmove\n", "bad, ply 2: no move, but legal moves exist; it sent 'bestmove', expected 'bestmove MOVE'"),
    ("bestmove none\n", "bad, ply 2: no move, but legal moves exist"),
]


@pytest.mark.programs
@pytest.mark.parametrize(("answer", "detail"), ILLEGAL, ids=[row[0].strip() for row in ILLEGAL])
def test_an_answer_without_a_move_is_quoted(bench: Bench, answer: str, detail: str) -> None:
    games = bench.play([player("good"), player("bad", answering(answer))], limit=FOREVER)
    assert (games[0].termination, games[0].detail) == ("illegal move", detail)


@pytest.mark.programs
def test_the_same_move_again_is_reported(bench: Bench) -> None:
    games = bench.play([player("bad", "again", 2), player("good")], limit=FOREVER)
    assert games[0].detail.endswith("; its last move again")


@pytest.mark.programs
def test_an_unfinished_line_at_the_exit_is_quoted(bench: Bench) -> None:
    games = bench.play([player("bad", "ends-in-mid-line"), player("good")], limit=FOREVER)
    assert games[0].termination == "crash"
    assert games[0].detail == "bad exited with status 0; it sent 'bestmove a1' without a newline"


@pytest.mark.programs
def test_a_program_written_for_uci_plays(bench: Bench) -> None:
    assert {game.termination for game in bench.play([player("a", "uci"), player("b")], limit=FOREVER)} == {"rules"}


@pytest.mark.programs
def test_answers_without_a_question_are_reported_once(bench: Bench) -> None:
    games = bench.play([player("bad", "thrice"), player("good")], limit=FOREVER)
    assert {game.termination for game in games} == {"rules"}, "they are ignored"
    warnings = [event.text for event in bench.events if isinstance(event, Warned)]
    assert warnings == ["bad sent 'bestmove a1' without a request: ignored; later ones are not reported"]


NEARLY = {
    "bestmove": "",
    "bestmov d": "d",
    "best move d": "d",
    "Best-Move d.": "d",
    "bestmove: d": "d",
    "bestmove d e": "",
    '{"bestmove": "d"}': "d",
    "move d": None,
    "d": None,
    "": None,
    "best": None,
    "the best move is d": None,
}


@pytest.mark.parametrize("line", NEARLY)
def test_a_line_close_to_an_answer_is_recognised(line: str) -> None:
    assert move_meant(line) == NEARLY[line]


def test_the_line_closest_to_a_move_is_quoted() -> None:
    mistake = Mistake()

    def receive() -> None:
        for line in ("bestmov a1", "bestmov b1", "so there"):
            mistake.keep(line)

    mistake.ask(GO)
    receive()
    assert mistake.report("") == "; it sent 'bestmov b1', expected 'bestmove b1'"
    mistake.ask(PING)
    assert mistake.report(" ") == ""
    receive()
    assert mistake.report("") == "; it sent 'so there', expected 'readyok' after isready"
    assert mistake.report("ready") == "; it sent 'ready' without a newline"


def test_quotes_are_one_printable_line() -> None:
    assert quoted_line("a\\b\t\u2028ü") == r"'a\b\t\u2028ü'"
    assert len(quoted_line("y" * 999)) == 62


@pytest.mark.parametrize("head", ["info string error: ", "? ", "?3 ", "ERROR ", "MESSAGE ", "error: ", "Unknown "])
def test_the_reason_at_the_end_of_an_explanation_is_quoted(head: str) -> None:
    why = "player net: the network failed: node Gather 'policy': the reason"
    assert quoted_line(head + why) == repr(head + why)
    long = quoted_line(head + "player net: " + "x" * 999 + ": the reason")
    assert long.startswith(f"'{head}player net: xxx")
    assert long.endswith("xxx: the reason'")
    assert len(long) == 201
