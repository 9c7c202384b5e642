"""One input for the engine's side of a dialect: any bytes, answers in the form of the dialect, and nothing else."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import astuple
from functools import cache

from fiedler.engine.host.session import Session
from fiedler.engine.roster.engine_offer import EngineOffer
from fiedler.games import game
from fiedler.players import Factory, create
from tests.protocol.fuzz.languages import LANGUAGES, Language, board
from tests.protocol.fuzz.mutation import mutated, portions
from tests.protocol.fuzz.tape import Tape

TIMES = re.compile(rb" (nps|time|ms) \d+")
"""The figures of a search that depend on the machine."""


@cache
def _factory(game_id: str) -> Factory:
    return create(game(game_id), "random", {"seed": "1"})


class Inline:
    """The driver of a session whose player answers at once: jobs run where they are."""

    def work(self, job: Callable[[], None]) -> None:
        """Run a job."""
        job()

    def post(self, call: Callable[[], None]) -> None:
        """Pass on the result of a job."""
        call()


def check_server(name: str, tape: Tape) -> int:
    """Feed one stream to a new session; any exception is a mistake. Returns the number of lines."""
    language = LANGUAGES[name]
    game_id = tape.choice(language.games)
    pinned = None if tape.chance(6) else name
    stream = mutated(tape, language.requests(tape, board(game_id, name)), language.words)
    way = tape.below(6)
    if way == 1 and pinned is not None:
        _check_line_by_line(language, _session(game_id, pinned), stream)
        return 1 + stream.count(b"\n")
    whole = _answers(game_id, pinned, [stream])
    if pinned is not None:
        _check_form(language, whole.decode())
    if way == 2:
        cut = _answers(game_id, pinned, portions(tape, stream))
        assert _timeless(cut) == _timeless(whole), "the portions of the bytes change the answers"
    return 1 + stream.count(b"\n")


def _timeless(answers: bytes) -> bytes:
    return TIMES.sub(b"", answers)


def _session(game_id: str, pinned: str | None) -> Session:
    return Session(EngineOffer(game(game_id), _factory(game_id), pinned), Inline())


def _answers(game_id: str, pinned: str | None, parts: list[bytes]) -> bytes:
    session = _session(game_id, pinned)
    for part in parts:
        session.receive_data(part)
        session.handle_lines()
    session.receive_eof()
    session.handle_lines()
    assert session.over, "the session has not ended with its stream"
    answers = session.data_to_send()
    session.close()
    return answers


def _check_form(language: Language, answers: str) -> None:
    *found, rest = answers.split(language.separator)
    assert rest == ""
    for answer in found:
        assert language.answer.fullmatch(answer), answer
        assert answer.replace("\n", " ").isprintable(), answer


def _check_line_by_line(language: Language, session: Session, stream: bytes) -> None:
    """Feed a stream line by line: a refused line changes nothing."""
    session.data_to_send()
    for line in stream.split(b"\n"):
        before = _state(language, session)
        session.receive_data(line + b"\n")
        session.handle_lines()
        text = session.data_to_send().decode()
        _check_form(language, text)
        answers = text.split(language.separator)[:-1]
        if answers and all(language.refusal.fullmatch(answer) for answer in answers):
            assert _state(language, session) == before, line
    session.close()


def _state(language: Language, session: Session) -> object:
    host = session._host
    state, settings = host.state, astuple(host.seat.player.settings)
    return state.moves, state.notation, settings, session.listening, language.state(session._server)
