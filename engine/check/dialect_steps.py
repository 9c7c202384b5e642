"""The steps that only some dialects have."""

from __future__ import annotations

import time

from engine.check.dial_in import DialInLink
from engine.check.failure import SkippedError, StepError
from engine.check.gtp import INTERRUPT, TIME, GtpTalk
from engine.check.peer import Peer
from engine.check.sessions import Sessions
from engine.check.steps import END_SECONDS, LATE_SECONDS, SEARCH_SECONDS, SECOND, cut_off, keeps_time
from engine.check.subject import option_names
from protocol import Limit, Move
from protocol.makemove import SET_TIME_PER_MOVE

LONG = Limit(movetime_ms=30_000)
REQUIRED = ("boardsize", "clear_board", "genmove", "list_commands", "play", "quit")
"""The commands of GTP that the manager and GoGui need."""


def options(sessions: Sessions) -> str:
    """Set every option of a UGI engine to its default."""
    peer = sessions.peer()
    for wrong in peer.malformed:
        if wrong.line.startswith(("option", "id")):
            raise StepError(f"{wrong.line!r}: {wrong.why}")
    for offer in peer.offers:
        if offer.option.default is not None:
            peer.client.configure(offer.option.name, offer.option.default)
    peer.ping()
    return option_names(peer.offers)


def stop(sessions: Sessions) -> str:
    """Stop a search of a UGI engine, and look for a second move."""
    peer = sessions.peer()
    peer.new_game()
    peer.begin([], LONG)
    found = _early(peer)
    started = time.monotonic()
    if found:
        peer.link.send(b"stop\n")  # crossed with the move on the wire
    else:
        peer.client.stop()
        peer.take(Move, LATE_SECONDS + END_SECONDS)
    took = time.monotonic() - started
    peer.ping()
    if second := peer.client.mistake.take_stray():
        raise StepError(f"a second answer, {second!r}")
    if took > LATE_SECONDS:
        raise StepError(f"the move {took:.1f} s after stop")
    return "the move had come before" if found else f"the move {1000 * took:.0f} ms after stop"


def _early(peer: Peer) -> bool:
    """Return whether the move comes before `stop`."""
    try:
        peer.take(Move, SEARCH_SECONDS)
    except StepError:
        if peer.client.owes_move:
            return False
        raise
    return True


def gtp_commands(sessions: Sessions) -> str:
    """Read the commands of a GTP engine."""
    talk = sessions.talk()
    assert isinstance(talk, GtpTalk)
    missing = [name for name in REQUIRED if name not in talk.known]
    if missing:
        raise StepError(f"a list without {', '.join(missing)}")
    return f"{len(talk.known)} commands"


def gtp_time(sessions: Sessions) -> str:
    """Check the time of a move, if the engine knows the command."""
    talk = sessions.talk()
    assert isinstance(talk, GtpTalk)
    if TIME not in talk.known:
        raise SkippedError(f"list_commands has no {TIME}: the engine keeps its own time")
    return keeps_time(SECOND)(sessions)


def gtp_interrupt(sessions: Sessions) -> str:
    """Interrupt a search, if the engine can."""
    talk = sessions.talk()
    assert isinstance(talk, GtpTalk)
    if INTERRUPT not in talk.known:
        raise SkippedError(f"list_commands has no {INTERRUPT}")
    if TIME in talk.known:
        talk.succeed(f"{TIME} 0 30 1")
    talk.wire.send(talk.request())
    time.sleep(SEARCH_SECONDS)
    started = time.monotonic()
    talk.wire.send(b"# interrupt\n")
    move = talk.read_move()
    took = time.monotonic() - started
    if TIME in talk.known:
        talk.succeed(f"{TIME} 0 1 1")
    talk.played(move)
    if took > LATE_SECONDS:
        raise StepError(f"the move {took:.1f} s after the interrupt")
    return f"the move {1000 * took:.0f} ms after the interrupt"


def gomocup_games(sessions: Sessions) -> str:
    """Begin a second game in a session; some engines need a process for each."""
    peer = sessions.peer()
    peer.new_game()
    peer.move([], Limit(movetime_ms=200))
    try:
        peer.new_game()
        peer.move([], Limit(movetime_ms=200))
    except StepError as error:
        sessions.subject.one_game_each = True
        raise SkippedError(f'write restart = "game" in [[players]]: {error.got}') from None
    return "ready"


def makemove_time(sessions: Sessions) -> str:
    """Send a time for each move, if the engine knows the command; published clients may not."""
    peer = sessions.peer()
    peer.client.configure(SET_TIME_PER_MOVE, "0.2")
    try:
        peer.ping()
    except StepError as error:
        raise SkippedError(f"no OK after {SET_TIME_PER_MOVE}: leave send_time out ({error.got})") from None
    return keeps_time(Limit(movetime_ms=200))(sessions)


def makemove_cut(sessions: Sessions) -> str:
    """Cut the connection of a program that connects to us: it ends, or connects again."""
    peer = cut_off(sessions)
    try:
        assert isinstance(peer.link, DialInLink)
        if left := peer.link.leaves_within(END_SECONDS):
            return left
        raise StepError(f"neither within {END_SECONDS:g} s")
    finally:
        peer.close()
