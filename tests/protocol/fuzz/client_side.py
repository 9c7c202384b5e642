"""One input for the manager's side of a dialect: a program that answers nearly right gives events, and nothing else."""

from __future__ import annotations

from contextlib import suppress
from typing import get_args

from fiedler.protocol import (
    DIALECTS,
    Client,
    ClientEvent,
    Eof,
    Info,
    Limit,
    LocalProtocolError,
    Malformed,
    Move,
    Refusal,
)
from fiedler.protocol.blocking import drained
from tests.protocol.fuzz.languages import LANGUAGES, board
from tests.protocol.fuzz.mutation import mutated, portions
from tests.protocol.fuzz.tape import Tape

MOST_REQUESTS = 10
LIMITS = (
    Limit(nodes=5),
    Limit(movetime_ms=1500),
    Limit(p1time_ms=2500, p2time_ms=900, p1inc_ms=5, p2inc_ms=5),
    Limit(depth=3),
    Limit(infinite=True),
)
REQUESTS = ("search", "search", "search", "ping", "new_game", "configure", "stop", "ask_start", "quit")


class Talk:
    """A manager that knows its game, and a player whose answers are mutated."""

    def __init__(self, name: str, tape: Tape, cuts: Tape | None) -> None:
        self._language = LANGUAGES[name]
        self._tape = tape
        self._cuts = cuts
        """Where the answers are cut; None: every answer comes whole."""
        self._board = board(tape.choice(self._language.games), name)
        self.client: Client = DIALECTS[name].client(self._board.coordinates)
        self.events: list[ClientEvent] = []
        self.searches = 0
        self.lines = 0
        self._moves: list[str] = []

    def run(self) -> None:
        """Talk until the tape ends the conversation."""
        self._answer("\n".join(self._language.opening))
        self._request("greet")
        for _ in range(1 + self._tape.below(MOST_REQUESTS)):
            self._request(self._tape.choice(REQUESTS))
        self.client.receive_eof()
        self._take()
        assert self.client.next_event() is None

    def _request(self, name: str) -> None:
        owed = self.client.owes_move
        try:
            match name:
                case "search":
                    self.client.search([*self._moves], self._tape.choice(LIMITS))
                    self.searches += 1
                case "configure":
                    self.client.configure(self._tape.choice(("seed", "LOAD_MODEL", "x y")), "7")
                case "new_game":
                    self.client.new_game()
                    self._moves = []
                case _:
                    getattr(self.client, name)()
        except LocalProtocolError:
            assert self.client.owes_move == owed, name
        self._take()
        for _ in range(4):  # one answer may lead to another command
            if not (sent := self.client.data_to_send()):
                return
            lines = sent.decode().splitlines()
            assert all(line.isprintable() for line in lines), lines
            move = self._name_of_a_move()
            self._answer("\n".join(answer for line in lines for answer in self._language.responses(line, move)))

    def _name_of_a_move(self) -> str:
        move = self._board.legal(self._tape, self._moves)
        return self._board.coordinates.write(move, self._moves) if move else ""

    def _answer(self, text: str) -> None:
        stream = mutated(self._tape, text.split("\n"), self._language.words) if text else b""
        self.lines += stream.count(b"\n")
        at_once = self._cuts is None and self.client.owes_move
        move = self.client.receive_answer(stream) if at_once else None
        if move:
            self._receive(Move(move))
        elif move is None:
            for part in [stream] if self._cuts is None else portions(self._cuts, stream):
                self.client.receive_data(part)
        self._take()

    def _take(self) -> None:
        """Take the events so far, and look at everything that a message would quote."""
        for event in drained(self.client):
            self._receive(event)
        mistake = self.client.mistake
        for text in (mistake.report(self.client.unfinished), mistake.silence(received=False)):
            assert len(text) < 500, text
        mistake.take_stray()

    def _receive(self, event: ClientEvent) -> None:
        assert isinstance(event, get_args(ClientEvent))
        self.events.append(event)
        match event:
            case Malformed(line, why):
                assert len(line) <= 120
                assert why.isprintable(), why
                assert len(why) <= 400, why
            case Refusal(why):
                assert len(why) <= 400, why
            case Move(move):
                self._play(move)

    def _play(self, move: str | None) -> None:
        """Play a legal move and a reply; anything else, and the end of the game, begins another game."""
        position = self._board.game.position("startpos", self._moves)
        if move is not None and move in map(position.move_text, position.legal_moves()):
            self._moves.append(move)
            reply = self._board.legal(self._tape, self._moves)
            if reply:
                self._moves.append(reply)
                return
        self._moves = []
        with suppress(LocalProtocolError):
            self.client.new_game()


def check_client(name: str, tape: Tape, again: Tape, cuts: Tape) -> int:
    """Let one manager talk with a player; any exception is a mistake. `again` is the same tape for a second talk.

    Returns the number of lines.
    """
    whole = Talk(name, tape, None)
    whole.run()
    assert whole.events[-1] == Eof()
    assert sum(isinstance(event, Move) for event in whole.events) <= whole.searches
    if cuts.chance(6):
        cut = Talk(name, again, cuts)
        cut.run()
        found, known = ([event for event in one.events if not isinstance(event, Info)] for one in (cut, whole))
        assert found == known, "the portions of the bytes change the events"
    return whole.lines
