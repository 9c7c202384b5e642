"""The steps that only some dialects have."""

from __future__ import annotations

import time

from fiedler.engine.check.failure import SkippedError, StepError
from fiedler.engine.check.gtp import INTERRUPT, TIME, GtpTalk
from fiedler.engine.check.link import CallingLink
from fiedler.engine.check.peer import Peer
from fiedler.engine.check.sessions import Sessions
from fiedler.engine.check.steps import END_SECONDS, LATE_SECONDS, SEARCH_SECONDS, SECOND, cut_off, keeps_time
from fiedler.engine.check.subject import option_names
from fiedler.engine.check.wire import send
from fiedler.protocol import Limit, Move
from fiedler.protocol.gtp import GtpClient
from fiedler.protocol.makemove import SET_TIME_PER_MOVE

LONG = Limit(movetime_ms=30_000)
FIRST_MOVE = Limit(movetime_ms=200)
REQUIRED = ("boardsize", "clear_board", "genmove", "list_commands", "play", "quit")
"""The commands of GTP that the manager and GoGui need."""


def options(sessions: Sessions) -> str:
    """Set every option of a UGI engine to its default."""
    peer = sessions.peer()
    for wrong in peer.malformed:
        if wrong.line.startswith(("option", "id")):
            raise StepError(f"{wrong.line!r}: {wrong.why}")
    for offer in peer.offers:
        if lacks := offer.option.lacks:
            raise StepError(f"option {offer.option.name!r} of type {offer.option.type} without {' and '.join(lacks)}")
        if wrong_default := offer.option.contradiction:
            raise StepError(wrong_default)
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
        send(peer.link, b"stop\n")  # crossed with the move on the wire
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
        peer.take(Move, SEARCH_SECONDS, searches_cause=False)
    except StepError:
        if peer.client.owes_move:
            return False
        raise
    return True


def gtp_commands(sessions: Sessions) -> str:
    """Read the commands of a GTP engine."""
    client = sessions.peer().client
    assert isinstance(client, GtpClient)
    missing = [name for name in REQUIRED if name not in client.commands]
    if missing:
        raise StepError(f"a list without {', '.join(missing)}")
    return f"{len(client.commands)} commands"


def gtp_time(sessions: Sessions) -> str:
    """Check the time of a move, if the engine knows the command."""
    client = sessions.peer().client
    assert isinstance(client, GtpClient)
    if TIME not in client.commands:
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


def gomocup_handshake(sessions: Sessions) -> str:
    """Greet a Gomocup engine. One that leaves OK out must move."""
    started = time.monotonic()
    peer = sessions.peer()
    peer.ping()
    if not peer.assumed_answer and sessions.subject.leaves_unanswered:
        return f"no answer to ABOUT: the manager waits {peer.client.grace_s:g} s for it, and begins the game without it"
    if not peer.assumed_answer:
        return f"after {time.monotonic() - started:.1f} s"
    try:
        peer.move([], FIRST_MOVE)
    except StepError as error:
        raise StepError(f"no OK, and no move after BEGIN: {error.got}", explained=error.explained) from None
    return f"no OK: the manager waits {peer.client.grace_s:g} s for it, and begins the game without it"


def gomocup_games(sessions: Sessions) -> str:
    """Begin a second game in a session; some engines need a process for each."""
    _begin_gomocup(sessions)
    try:
        _begin_gomocup(sessions)
    except SkippedError as error:
        sessions.drop()
        _begin_gomocup(sessions)  # a process of its own helps
        sessions.subject.one_game_each = True
        raise SkippedError(f'write restart = "game" in [[players]]: {error}') from None
    return "ready"


def _begin_gomocup(sessions: Sessions) -> None:
    """Begin a game by a move of the engine; a wrong move is a matter of the next step."""
    try:
        peer = sessions.peer()
        peer.new_game()
        peer.move([], FIRST_MOVE)
    except StepError as error:
        raise SkippedError(error.got) from None


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
        assert isinstance(peer.link, CallingLink)
        if left := peer.link.leaves_within(END_SECONDS):
            return left
        raise StepError(f"neither within {END_SECONDS:g} s")
    finally:
        peer.close()
