"""The steps of each dialect."""

from __future__ import annotations

from dataclasses import dataclass

from fiedler.engine.check import dialect_steps as own
from fiedler.engine.check.gomocup import GomocupTalk
from fiedler.engine.check.gtp import GtpTalk
from fiedler.engine.check.makemove import MakemoveTalk
from fiedler.engine.check.queries import answers_by_the_rules, plays_a_game
from fiedler.engine.check.replies import legal_replies
from fiedler.engine.check.rowcol import RowcolListTalk, RowcolTalk
from fiedler.engine.check.steps import (
    CheckStep,
    abrupt_close,
    bad_input,
    half_a_line,
    handshake,
    keeps_time,
    new_game,
    quits,
    several_sessions,
)
from fiedler.engine.check.talk import Talk
from fiedler.engine.check.ugi import UciTalk, UgiTalk
from fiedler.games import AnyGame
from fiedler.protocol import Limit

REPLIES = CheckStep(
    "legal replies", "legal moves in all phases of ten random games, for both sides", legal_replies, is_foundation=True
)
HALF = CheckStep("half a line", "nothing before its newline, then one legal move", half_a_line)
SESSIONS = CheckStep("several sessions", "legal moves in three sessions at a time", several_sessions)
QUERIES = CheckStep(
    "queries", "query gameover, p1turn and result answered by the rules", answers_by_the_rules, loses_games=False
)
ABRUPT = CheckStep("abrupt close", "the program ends, a server plays in other sessions", abrupt_close)


@dataclass(frozen=True, slots=True)
class Plan:
    """The questions to engines of a dialect."""

    talk: type[Talk]
    """Its bare lines."""
    steps: tuple[CheckStep, ...]


def _bad(refusal: str, *, open_words: bool) -> tuple[CheckStep, ...]:
    """Return the steps of bad input; `refusal` is the dialect's form of an error.

    The manager never sends wrong coordinates. `open_words`: whether it sends words and texts that an engine need not
    know, such as the options of a schedule; otherwise no game can be lost by the answer to such a line either.
    """
    expected = f"{refusal}, and the position as it was"
    return (
        HALF,
        CheckStep("wrong coordinates", expected, bad_input(lambda talk: talk.wrong_place), loses_games=False),
        CheckStep("unknown command", expected, bad_input(lambda talk: talk.unknown), loses_games=open_words),
        CheckStep("binary input", expected, bad_input(lambda talk: talk.binary), loses_games=open_words),
    )


CLOCK = Limit(p1time_ms=1000, p2time_ms=1000, p1inc_ms=0, p2inc_ms=0)
TIMES = CheckStep(
    "time limits", "moves within go movetime 200 and a clock of 1 s", keeps_time(Limit(movetime_ms=200), CLOCK)
)
STOP = CheckStep("stop", "one bestmove, within a second after stop", own.stop)
QUIT = CheckStep("quit", "the session ends", quits)


def _ugi_beginning(hello: str, answer: str, newgame: str) -> tuple[CheckStep, ...]:
    return (
        CheckStep("handshake", f"{answer} after {hello}, readyok after isready", handshake, is_foundation=True),
        CheckStep("options", "option lines, and readyok after setoption with their defaults", own.options),
        CheckStep("new game", f"readyok after {newgame} and isready", new_game, is_foundation=True),
    )


def _ugi(hello: str, answer: str, newgame: str, *more: CheckStep) -> tuple[CheckStep, ...]:
    return (
        *_ugi_beginning(hello, answer, newgame),
        REPLIES,
        *more,
        TIMES,
        STOP,
        *_bad("an info string error: WHY or no answer", open_words=True),
        SESSIONS,
        QUIT,
        ABRUPT,
    )


ROWCOL = (REPLIES, *_bad("error: WHY or no answer", open_words=False), SESSIONS, ABRUPT)
PLANS = {
    "ugi": Plan(UgiTalk, _ugi("ugi", "ugiok", "uginewgame", QUERIES)),
    "uci": Plan(UciTalk, _ugi("uci", "uciok", "ucinewgame")),
    "gtp": Plan(
        GtpTalk,
        (
            CheckStep(
                "handshake",
                "responses to name, list_commands, boardsize and protocol_version",
                handshake,
                is_foundation=True,
            ),
            CheckStep("commands", f"a list with {', '.join(own.REQUIRED)}", own.gtp_commands),
            CheckStep("new game", "= after clear_board", new_game, is_foundation=True),
            REPLIES,
            CheckStep("time limits", "a move within a second after time_settings 0 1 1", own.gtp_time),
            CheckStep("stop", "the move within a second after # interrupt", own.gtp_interrupt),
            *_bad("? WHY", open_words=True),
            SESSIONS,
            CheckStep("quit", "the session ends", quits),
            ABRUPT,
        ),
    ),
    "gomocup": Plan(
        GomocupTalk,
        (
            CheckStep("handshake", "OK after START, or a move without it", own.gomocup_handshake, is_foundation=True),
            CheckStep("new game", "OK after a second START", own.gomocup_games),
            REPLIES,
            CheckStep("time limits", "a move within INFO timeout_turn 500", keeps_time(Limit(movetime_ms=500))),
            *_bad("ERROR or UNKNOWN", open_words=False),
            SESSIONS,
            CheckStep("quit", "the session ends after END", quits),
            ABRUPT,
        ),
    ),
    "rowcol": Plan(RowcolTalk, ROWCOL),
    "rowcol-list": Plan(RowcolListTalk, ROWCOL),
    "makemove": Plan(
        MakemoveTalk,
        (
            CheckStep("handshake", "a connection and OK", handshake, is_foundation=True),
            CheckStep("new game", "OK after GAME_RESET", new_game, is_foundation=True),
            CheckStep("time limits", "OK after SET_TIME_PER_MOVE:0.2, and a move within it", own.makemove_time),
            REPLIES,
            *_bad("ERROR:WHY or no answer", open_words=False),
            SESSIONS,
            CheckStep("quit", "OK after EXIT, and the program ends", quits),
            CheckStep("abrupt close", "the program ends, or connects again", own.makemove_cut),
        ),
    ),
}
"""The plan of each dialect, by its name in `protocol.DIALECTS`."""

WITHOUT_RULES = Plan(
    UgiTalk,
    (
        *_ugi_beginning("ugi", "ugiok", "uginewgame"),
        CheckStep("queries", "a game whose end, sides and result it reports", plays_a_game, is_foundation=True),
        TIMES,
        STOP,
        QUIT,
        ABRUPT,
    ),
)
"""The plan of an engine of UGI whose game is unknown here."""


def plan_of(game: AnyGame, dialect: str) -> Plan:
    """Return the plan of an engine of this game, in a dialect that it can speak."""
    return PLANS[dialect] if game.has_rules else WITHOUT_RULES
