"""The author of a player learns from a failure what the player said and what was expected.

Time is up, here, once the manager has heard what a test is about: nothing depends on how fast anything is.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Mapping

import pytest

from protocol.mistake import Mistake, quoted_line
from protocol.ugi.client import GO, PING
from protocol.ugi.misspelling import move_meant
from support.errors import UsageError
from tests.tournament.schedules import Bench, player
from tournament.play.match import Match
from tournament.play.session import Session
from tournament.run import table
from tournament.run.events import Warned

LOOK_S = 0.005
FOREVER = {"nodes": 1, "stall_s": 600, "startup_s": 600}


def is_known(session: Session, mistake: str) -> bool:
    return session.player == "bad" and session.mistake == mistake


def move_until(mistake: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the time for a move be up once this is known of `bad`, and not before."""

    def arm(match: Match) -> None:
        match._armed_for = 0.0  # it looks by itself
        if is_known(match._sessions[match._side], mistake):
            match._time = lambda: match._deadline + 1
            match._time_is_up()
        elif not match._done.done():
            match._timer = match._loop.call_later(LOOK_S, arm, match)

    monkeypatch.setattr(Match, "_arm", arm)
    monkeypatch.setattr(table, "SETTLE_S", LOOK_S)


def start_until(mistake: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let the time to start be up once this is known of `bad`, and not before."""
    shake_hands = Session.shake_hands

    async def shake(session: Session, options: Mapping[str, str]) -> None:
        shaking = asyncio.ensure_future(shake_hands(session, options))
        while not shaking.done():
            await asyncio.wait({shaking}, timeout=LOOK_S)
            if is_known(session, mistake) and not shaking.done():
                shaking.cancel()
                raise TimeoutError
        await shaking

    monkeypatch.setattr(Session, "shake_hands", shake)


def saying(text: str) -> str:
    """The fault of a player that says this in place of a move."""
    return "says:" + text.encode("unicode_escape").decode()


SAID = [
    ("move b1\n", "it said 'move b1', expected 'bestmove MOVE'"),
    ('{"move": "b1"}\n', """it said '{"move": "b1"}', expected 'bestmove MOVE'"""),
    ("bestmove b1", "it said 'bestmove b1' without a newline"),
    ("bestmov b1\n", "it said 'bestmov b1', expected 'bestmove b1'"),
    ("best move b1\n", "it said 'best move b1', expected 'bestmove b1'"),
    ("Bestmove: b1\n", "it said 'Bestmove: b1', expected 'bestmove b1'"),
    ("BESTMOVE=b1\r\nthat was easy\n", "it said 'BESTMOVE=b1', expected 'bestmove b1'"),
    ("my move: b1\nthat was easy\n", "it said 'that was easy', expected 'bestmove MOVE'"),
    ("ucimove b1\n", "it said 'ucimove b1', expected 'bestmove MOVE'"),
    ("info string error: what is go?\n", "it said 'info string error: what is go?', expected 'bestmove MOVE'"),
    ("\x00\x1b[2J\xff\xfe\n", r"it said '\x00\x1b[2J\xff\xfe', expected 'bestmove MOVE'"),
    ("\xff\x07 b1", r"it said '\xff\x07 b1' without a newline"),
    ("x" * 900 + "\n", f"it said '{'x' * 59}…', expected 'bestmove MOVE'"),
    ("x" * 70_000, f"it said '{'x' * 59}…', expected 'bestmove MOVE'"),
]


@pytest.mark.parametrize(("said", "told"), SAID, ids=[str(number) for number in range(len(SAID))])
def test_what_was_said_is_quoted(bench: Bench, monkeypatch: pytest.MonkeyPatch, said: str, told: str) -> None:
    move_until(f"; {told}", monkeypatch)
    games = bench.play([player("good"), player("bad", saying(said))], limit=FOREVER)
    detail = games[0].detail
    assert re.fullmatch(rf"bad used [0-9]+ ms of 600000 ms; {re.escape(told)}", detail)
    assert detail.isprintable()
    assert {(game.loser, game.termination) for game in games} == {("bad", "time")}


SILENT = [
    ("silent", 1, "no bestmove after go yet: too slow, or its output is not flushed"),
    ("silent", 2, "no bestmove after go yet"),
    ("early", 1, "it said 'bestmove a1' before it was asked"),
    ("complains", 2, "no bestmove after go yet; on standard error: KeyError: 'a1'"),
]


@pytest.mark.parametrize(("fault", "number", "told"), SILENT, ids=[f"{row[0]} {row[1]}" for row in SILENT])
def test_silence_has_reasons(bench: Bench, monkeypatch: pytest.MonkeyPatch, fault: str, number: int, told: str) -> None:
    move_until(f"; {told}", monkeypatch)
    games = bench.play([player("bad", fault, number), player("good")], limit=FOREVER)
    assert all(re.fullmatch(rf"bad used [0-9]+ ms of 600000 ms; {re.escape(told)}", game.detail) for game in games)


STARTS = [
    ("mute", "no ugiok after ugi yet: too slow, or its output is not flushed"),
    ("unready", "no readyok after isready yet: too slow, or its output is not flushed"),
    ("nameless", "no ugiok after ugi yet"),
    ("echo", "it said 'ugi', expected 'ugiok' after ugi"),
    ("shouts", "it said 'UGIOK', expected 'ugiok' after ugi"),
    ("no-newline", "it said 'ugiok' without a newline"),
]


@pytest.mark.parametrize(("fault", "told"), STARTS)
def test_what_was_said_at_the_start_is_quoted(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, fault: str, told: str
) -> None:
    start_until(f"; {told}", monkeypatch)
    with pytest.raises(UsageError) as caught:
        bench.play([player("bad", fault, 0), player("good")], limit=FOREVER)
    assert str(caught.value) == f"player 'bad': did not shake hands within 600 s; {told}"


ILLEGAL = [
    ("bestmove B1\n", "bad, ply 2: move: expected a1 to c3, got 'B1'; did you mean 'b1'?"),
    ("bestmove\n", "bad, ply 2: no move, but legal moves exist; it said 'bestmove', expected 'bestmove MOVE'"),
    ("bestmove none\n", "bad, ply 2: no move, but legal moves exist"),
]


@pytest.mark.parametrize(("said", "detail"), ILLEGAL, ids=[row[0].strip() for row in ILLEGAL])
def test_a_move_that_is_none_is_quoted(bench: Bench, said: str, detail: str) -> None:
    games = bench.play([player("good"), player("bad", saying(said))], limit=FOREVER)
    assert (games[0].termination, games[0].detail) == ("illegal move", detail)


def test_the_same_move_again_looks_like_a_second_answer(bench: Bench) -> None:
    games = bench.play([player("bad", "again", 2), player("good")], limit=FOREVER)
    assert games[0].detail.endswith("; its last move again: a second answer to one go?")


def test_a_program_that_ends_in_the_middle_of_a_line(bench: Bench) -> None:
    games = bench.play([player("bad", "ends-in-mid-line"), player("good")], limit=FOREVER)
    assert games[0].termination == "crash"
    assert games[0].detail == "bad exited with status 0; it said 'bestmove a1' without a newline"


def test_a_program_whose_home_is_uci_plays(bench: Bench) -> None:
    assert {game.termination for game in bench.play([player("a", "uci"), player("b")], limit=FOREVER)} == {"rules"}


def test_answers_that_nobody_asked_for_are_reported_once(bench: Bench) -> None:
    games = bench.play([player("bad", "thrice"), player("good")], limit=FOREVER)
    assert {game.termination for game in games} == {"rules"}, "they are ignored"
    said = [event.text for event in bench.events if isinstance(event, Warned)]
    assert said == ["bad said 'bestmove a1' without a go: ignored; later ones are not reported"]


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
def test_what_is_nearly_a_move(line: str) -> None:
    assert move_meant(line) == NEARLY[line]


def test_the_line_that_is_nearest_to_a_move_is_quoted() -> None:
    mistake = Mistake()

    def hear() -> None:
        for line in ("bestmov a1", "bestmov b1", "so there"):
            mistake.keep(line)

    mistake.ask(GO)
    hear()
    assert mistake.told("") == "; it said 'bestmov b1', expected 'bestmove b1'"
    mistake.ask(PING)
    assert mistake.told(" ") == ""
    hear()
    assert mistake.told("") == "; it said 'so there', expected 'readyok' after isready"
    assert mistake.told("ready") == "; it said 'ready' without a newline"


def test_quotes_are_one_printable_line() -> None:
    assert quoted_line("a\\b\t\u2028ü") == r"'a\b\t\u2028ü'"
    assert len(quoted_line("y" * 999)) == 62
