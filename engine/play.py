"""A person plays in the terminal."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable

from engine.opponent import Answer, Opponent
from games import Game
from native import IllegalMoveError, Position

HELP = "a move such as {example}, or: moves (the legal ones), undo (your last move), help, quit"
_QUIT = ("quit", "exit", "q")


def ask(prompt: str) -> str | None:
    """Ask the person at standard input; None at its end."""
    print(prompt, end="", flush=True)
    if isinstance(sys.stdin, io.TextIOWrapper) and sys.stdin.errors != "replace":
        sys.stdin.reconfigure(errors="replace")  # bytes that are no text are no move
    line = sys.stdin.readline()
    if line and not sys.stdin.isatty():
        print()  # nobody has pressed enter where this is shown
    return line.strip() if line else None


class Table:
    """One game between a person and an opponent. `ask` reads a line, `say` shows lines."""

    def __init__(
        self,
        game: Game,
        opponent: Opponent,
        side: int,
        start: Position | None = None,
        ask: Callable[[str], str | None] = ask,
        say: Callable[[str], None] = print,
    ) -> None:
        """`side` is the person's: 0 moves first from the start position; `start` is where this game begins."""
        self._game = game
        self._opponent = opponent
        self._side = side
        self._start = start or game.position()
        self._ask = ask
        self._say = say
        self._moves: list[int] = []

    def play(self) -> None:
        """Play until the game is over or the person leaves."""
        stone, other = self._game.sides[self._side], self._game.sides[1 - self._side]
        self._say(f"{self._game.name}: you are {stone}, {self._opponent.title} is {other}")
        self._say(f"type {self._help()}")
        self._show()
        while (position := self._position()).result is None:
            if position.side_to_move != self._side:
                self._reply(position)
            elif not self._turn(position):
                self._say("bye")
                return
        self._say(self._game.result_text(position))

    def _turn(self, position: Position) -> bool:
        """Ask until the person has moved or taken back; False: the person leaves."""
        done = False
        while not done:
            text = self._ask(f"{self._game.sides[self._side]} to move: ")
            if text is None:
                self._say("")
                return False
            if text.lower() in _QUIT:
                return False
            done = self._obey(position, text.lower())
        return True

    def _obey(self, position: Position, text: str) -> bool:
        """Do what the person typed; tell whether the position is another one now."""
        if text == "undo":
            return self._undo()
        if text == "moves":
            self._say(" ".join(map(position.move_text, position.legal_moves())))
        elif text in {"help", ""}:
            self._say(f"type {self._help()}")
        else:
            return self._move(position, text)
        return False

    def _move(self, position: Position, text: str) -> bool:
        try:
            move = position.parse_move(text)
        except IllegalMoveError as error:
            self._say(f"{str(error).split(' in ')[0]}; type moves for what is legal, help for more")
            return False
        self._moves.append(move)
        self._show()
        return True

    def _undo(self) -> bool:
        """Take back the person's last move and the answer to it."""
        own = len(self._moves) - 2
        if own < (self._side != self._start.side_to_move):
            self._say("nothing to take back")
            return False
        del self._moves[own:]
        self._show()
        return True

    def _reply(self, position: Position) -> None:
        answer = self._opponent.answer(position, self._start, self._names())
        self._moves.append(answer.move)
        self._say(f"{self._opponent.title} plays {position.move_text(answer.move)}{_thoughts(answer)}")
        self._show()

    def _position(self) -> Position:
        position = self._start.copy()
        for move in self._moves:
            position.play(move)
        return position

    def _names(self) -> list[str]:
        return list(map(self._start.move_text, self._moves))

    def _show(self) -> None:
        self._say(self._game.draw(self._position(), self._moves[-1] if self._moves else None))

    def _help(self) -> str:
        return HELP.format(example=self._start.move_text(self._start.legal_moves()[0]))


def _thoughts(answer: Answer) -> str:
    info = answer.info
    words = []
    if info.mate is not None:
        words.append(f"wins in {info.mate}" if info.mate > 0 else f"loses in {-info.mate}")
    elif info.score_cp is not None and (info.nodes or 0) > 1:
        words.append(f"score {info.score_cp:+d}")
    if (info.nodes or 0) > 1:
        words.append(f"{info.nodes} nodes")
    return f" ({', '.join(words)})" if words else ""
