"""A person plays in the terminal."""

from __future__ import annotations

import io
import shlex
import sys
from collections.abc import Callable
from contextlib import suppress
from itertools import takewhile
from typing import ClassVar

from fiedler.engine.person.opponent import Opponent, Reply
from fiedler.engine.person.record import game_pgn, position_argument, save
from fiedler.games import AnyGame
from fiedler.games.errors import IllegalMoveError
from fiedler.games.position import Position, fills_cells
from fiedler.games.refusal import refusal
from fiedler.games.rules import RulesError
from fiedler.games.sides import sides_of
from fiedler.protocol import Info, expected_score
from fiedler.support.errors import WorkError
from fiedler.support.text import counted

_QUIT = ("quit", "exit", "q")


def ask(prompt: str) -> str | None:
    """Ask the person at standard input; None at its end."""
    print(prompt, end="", flush=True)
    if isinstance(sys.stdin, io.TextIOWrapper) and sys.stdin.errors != "replace":
        sys.stdin.reconfigure(errors="replace")  # bytes that are not text are not a move
    line = sys.stdin.readline()
    if line and not sys.stdin.isatty():
        print()  # a terminal would show the line break of the Enter key
    return line.strip() if line else None


def complain(why: str) -> None:
    """Print the failure of the opponent on standard error, in the form of a command's error."""
    print(f"error: {' '.join(why.split())}", file=sys.stderr, flush=True)


class Terminal:
    """Games between a person and an opponent. `ask` reads a line, `say` shows lines."""

    def __init__(
        self,
        game: AnyGame,
        opponent: Opponent,
        side: int,
        start: Position | None = None,
        ask: Callable[[str], str | None] = ask,
        say: Callable[[str], None] = print,
        complain: Callable[[str], None] = complain,
        level: str = "",
    ) -> None:
        """`side` is the person's: 0 moves first from the start position; each game begins at `start`.

        `complain` shows the failure of the opponent, `level` is its level of play, if it has one.
        """
        self._game = game
        self._opponent = opponent
        self._side = side
        self._start = start or game.position()
        self._ask = ask
        self._say = say
        self._complain = complain
        self._level = level
        self._moves: list[int] = []
        self._names: list[str] = []
        """The names of the moves; in some games they depend on the position."""
        self._saved: list[int] = []
        """The moves of this game in the last file that was saved."""
        self._resigned: int | None = None
        """The side that resigned."""
        self._waits = False
        """Whether the opponent failed to move."""
        self._failed = False
        """Whether the opponent has failed at any time."""

    def play(self) -> bool:
        """Play until the person leaves; return whether the opponent never failed.

        Raises:
            KeyboardInterrupt: the person interrupted the game; a note has the moves that are not saved, if any.
            WorkError: the rules of a user's game failed; the message has the same note.

        """
        try:
            return self._played()
        except KeyboardInterrupt as leaving:
            if lost := self._unsaved(resumes=self._runs()):
                leaving.add_note(lost)
            raise
        except RulesError as error:
            raise WorkError("; ".join(filter(None, [str(error), self._unsaved(resumes=True)]))) from error

    def _played(self) -> bool:
        stone, other = self._game.sides[self._side], self._game.sides[1 - self._side]
        level = f" at level {self._level}" if self._level else ""
        self._say(f"{self._game.name}: you are {stone}, {self._opponent.title} is {other}{level}")
        self._say(f"type a move such as {self._example()}; help lists the commands")
        self._show()
        while True:
            self._let_reply()
            typed = self._ask(self._prompt())
            if typed is None:
                self._say("")
            if typed is None or typed.lower() in _QUIT:
                self._say("bye")
                return not self._failed
            self._obey(typed)

    # --- the person's input -------------------------------------------------------------------------------------------

    def _prompt(self) -> str:
        return f"{self._game.sides[self._side]} to move: " if self._expects_move() else "new, undo, save FILE or quit: "

    def _obey(self, typed: str) -> None:
        word, _, rest = typed.partition(" ")
        word = word.lower()
        if word == "save":
            self._save(rest.strip())
        elif typed.lower() in self._ALWAYS:
            self._ALWAYS[word](self)
        elif self._waits:
            self._say("the opponent has failed; undo and new start it again")
        elif not self._runs():
            self._say("the game is over; new begins another one")
        elif typed.lower() in self._RUNNING:
            self._RUNNING[word](self)
        else:
            self._move(typed)

    def _move(self, typed: str) -> None:
        position = self._position()
        text = _spelled(self._game, position, typed)
        if why := refusal(self._game, position, text):
            self._say(f"{why}; moves lists the legal moves, help the commands")
            return
        self._play(position, position.parse_move(text))
        self._show()

    def _play(self, position: Position, move: int) -> None:
        """Play a legal move in the position of the game."""
        name = position.move_text(move)
        position.play(move)
        self._moves.append(move)
        self._names.append(name)

    def _list_moves(self) -> None:
        position = self._position()
        self._say(" ".join(map(position.move_text, position.legal_moves())))

    def _hint(self) -> None:
        """Show the opponent's move in the person's place."""
        position = self._position()
        answer = self._asked(position)
        if answer is None:
            return
        move = "resign" if answer.move is None else f"play {position.move_text(answer.move)}"
        self._say(f"{self._opponent.title} would {move}{_thoughts(answer, 1)}")

    def _undo(self) -> None:
        """Take back the person's resignation; else the person's last move and the answer to it."""
        if self._resigned != self._side:
            own = [ply for ply, side in enumerate(self._sides()) if side == self._side]
            if not own:
                self._say("nothing to take back")
                return
            del self._moves[own[-1] :], self._names[own[-1] :]
        self._resigned = None
        self._waits = False
        self._show()

    def _resign(self) -> None:
        self._resigned = self._side
        self._say_end()

    def _new(self) -> None:
        self._moves.clear()
        self._names.clear()
        self._saved.clear()
        self._resigned = None
        self._waits = False
        self._opponent.new_game()
        self._show()

    def _save(self, name: str) -> None:
        if not name:
            self._say("expected save FILE, such as save game.pgn")
            return
        names = ("you", self._opponent.title)
        if name.lower().endswith(".pgn"):
            both = names if self._side == 0 else (names[1], names[0])
            resigned = self._resigned is not None
            sides, result = sides_of(self._sides()), self._result()
            text = game_pgn(
                self._game, both, self._start, self._names, sides, result, resigned=resigned, level=self._level
            )
        else:
            text = position_argument(self._start, self._names) + "\n"
        try:
            save(name, text)
        except WorkError as error:
            self._say(str(error))
            return
        self._saved = self._moves.copy()
        self._say(f"saved {name}")

    def _unsaved(self, *, resumes: bool) -> str:
        """Return the number of moves that are in no file, and the ways to keep them; empty without any.

        `resumes`: the game can be resumed.
        """
        pairs = zip(self._moves, self._saved, strict=False)
        kept = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
        if kept == len(self._moves):
            return ""
        few = len(self._moves) - kept == 1
        lost = f"{counted(len(self._moves) - kept, 'move')} {'was' if few else 'were'} not saved"
        line = shlex.join(["--position", position_argument(self._start, self._names)])
        again = f"; {line} resumes the game" if resumes else ""
        return f"{lost} (save FILE saves a game){again}"

    def _help(self) -> None:
        self._say(f"type a move such as {self._example()}, or\n{_COMMANDS}")

    # --- the opponent's moves -----------------------------------------------------------------------------------------

    def _let_reply(self) -> None:
        """Let the opponent move while it is its turn: in some games several times in a row."""
        while self._expects_move() and (position := self._position()).side_to_move != self._side:
            answer = self._asked(position)
            if answer is None:
                self._waits = True
            elif answer.move is None:
                self._resigned = 1 - self._side
                self._say_end()
            else:
                self._play(position, answer.move)
                self._say(f"{self._opponent.title} plays {self._names[-1]}{_thoughts(answer, -1)}")
                self._show()

    def _asked(self, position: Position) -> Reply | None:
        """Return the opponent's answer; None if it has failed, which is printed."""
        try:
            return self._opponent.answer(position, self._start, self._names)
        except RulesError:
            raise  # no failure of the opponent
        except WorkError as error:
            self._complain(str(error))
            self._failed = True
            return None

    # --- the state of the game ----------------------------------------------------------------------------------------

    def _position(self) -> Position:
        position = self._start.copy()
        for move in self._moves:
            position.play(move)
        return position

    def _sides(self) -> list[int]:
        """Return the side of each move."""
        position, found = self._start.copy(), list[int]()
        for move in self._moves:
            found.append(position.side_to_move)
            position.play(move)
        return found

    def _result(self) -> int | None:
        """Return the result for the first player, 1, 0 or -1; None while the game runs."""
        if self._resigned is not None:
            return -1 if self._resigned == 0 else 1
        return self._position().result

    def _runs(self) -> bool:
        return self._result() is None

    def _expects_move(self) -> bool:
        return self._runs() and not self._waits

    def _show(self) -> None:
        self._say(self._game.draw(self._position(), self._moves[-1] if self._moves else None))
        self._say_end()

    def _say_end(self) -> None:
        """Show the result and its reason, if the game is over."""
        result = self._result()
        against = f" against level {self._level}" if self._level else ""
        if result == 0:
            self._say(": ".join(filter(None, [f"draw{against}", self._draw_reason()])))
        elif result is not None:
            won = (result > 0) == (self._side == 0)
            self._say(f"you {'won' if won else 'lost'}{against}: {self._how()}")

    def _draw_reason(self) -> str:
        """Return how the game was drawn; empty if there is no more to say."""
        end = self._position()
        if fills_cells(end):
            return "no legal move is left"
        return how if (how := self._game.ended_by(end)) != "draw" else ""

    def _how(self) -> str:
        if self._resigned is None:
            return self._game.result_text(self._position())
        return "you resigned" if self._resigned == self._side else f"{self._opponent.title} resigned"

    def _example(self) -> str:
        return self._start.move_text(self._start.legal_moves()[0])

    _ALWAYS: ClassVar[dict[str, Callable[[Terminal], None]]] = {
        "": _help,
        "help": _help,
        "board": _show,
        "undo": _undo,
        "new": _new,
    }
    _RUNNING: ClassVar[dict[str, Callable[[Terminal], None]]] = {
        "moves": _list_moves,
        "hint": _hint,
        "resign": _resign,
    }


_COMMANDS = """\
  moves      the legal moves
  hint       the opponent's best move in your place
  undo       take back your last move and the answer to it
  resign     resign the game
  board      the board again
  save FILE  save the game: as PGN if the name ends in .pgn, else as the line for --position
  new        another game
  help       this list
  quit       leave
A percentage is the score that a search expects for you: 100 % a win, 50 % an even game or a draw."""


def _spelled(game: AnyGame, position: Position, typed: str) -> str:
    """Return the legal move that a person means, in capitals or not; else the words as moves are written."""
    with suppress(IllegalMoveError):
        return position.move_text(game.read_move(position, typed))
    names = map(position.move_text, position.legal_moves())
    alike = [name for name in names if name.lower() == typed.lower()]
    return alike[0] if len(alike) == 1 else game.spelled(typed)


def _thoughts(answer: Reply, yours: int) -> str:
    """Return the findings of a search in brackets; `yours` is 1 if it was for the person, -1 for the opponent."""
    info = answer.info
    words = [_score(info, yours)] if info.nodes is None or info.nodes > 1 or info.mate is not None else []
    if (info.nodes or 0) > 1:
        words.append(f"{info.nodes} nodes")
    text = ", ".join(filter(None, words))
    return f" ({text})" if text else ""


def _score(info: Info, yours: int) -> str:
    """Return the score from the person's side; empty without a score."""
    if info.mate is not None:
        moves = f"{abs(info.mate)} move{'s' * (abs(info.mate) != 1)}"
        return f"you {'win' if info.mate * yours > 0 else 'lose'} in {moves}"
    if info.score_cp is None:
        return ""
    return f"{expected_score(info.score_cp * yours):.0%} for you".replace("%", " %")
