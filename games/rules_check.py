"""The rules of a game, proved by random games: each failure in a line, with the shortest moves that show it."""

from __future__ import annotations

import faulthandler
import io
import random
import signal
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from typing import ClassVar

from fiedler.games.errors import IllegalMoveError, PositionError
from fiedler.games.game import START, AnyGame
from fiedler.games.position import Position, has_grid, has_symmetries
from fiedler.games.rules import RulesError, failure
from fiedler.support.errors import UsageError, quoted_input, quoted_value
from fiedler.support.text import counted

GAMES = 1000
"""The number of random games, by default."""
MOST_PLIES = 10_000
"""Plies after which a game without a known length has no end, by default."""
SECONDS = 10.0
"""Seconds after which a game hangs, by default."""
LAST_RESORT_S = 10.0
"""Seconds after that in which a game that hangs outside Python does not end the process yet."""
MOST_HANGS = 3
"""Games that hang, before the check ends."""
MOST_SHOWN = 20
"""The moves of a failure that its line has; a longer game has the first and the last ones."""
MOST_KEYS = 200_000
"""Positions whose keys are compared: each takes some hundred bytes."""
WRONG_TEXT = "no-position;"
Progress = Callable[[int, int], None]
Complaints = Iterator[str]


@dataclass(frozen=True, slots=True)
class RulesFailure:
    """A failure of rules: the shortest game that shows it."""

    check: str
    """The name of the check, such as `copy`."""
    wrong: str
    """The expectation, and the fact."""
    moves: tuple[str, ...]
    """The moves from the start to the position."""
    times: int
    """Positions where the check failed."""

    @property
    def line(self) -> str:
        """The failure in a line."""
        after = f"after {_cut(self.moves)}" if self.moves else "at the start"
        often = f"; {counted(self.times, 'time')}" if self.times > 1 else ""
        return f"{self.check}: {self.wrong}, {after}{often}"


@dataclass(slots=True)
class RulesReport:
    """The result of a check."""

    game: str
    """The id of the game."""
    seed: int
    games: int = 0
    """Games that were begun."""
    finished: int = 0
    plies: int = 0
    """The plies of all games."""
    shortest: int = 0
    """The plies of the shortest finished game."""
    longest: int = 0
    first_wins: int = 0
    draws: int = 0
    second_wins: int = 0
    seconds: float = 0.0
    failures: list[RulesFailure] = field(default_factory=list)
    """The shortest one of each check, the shortest moves first."""

    @property
    def passed(self) -> bool:
        """Whether no check failed."""
        return not self.failures

    @property
    def text(self) -> str:
        """The report in lines."""
        end = [one.line for one in self.failures] or ["no check failed"]
        return "\n".join([self._games, *end])

    @property
    def _games(self) -> str:
        head = f"{self.game}: {counted(self.finished, 'game')} to the end in {self.seconds:.1f} s"
        if not self.finished:
            return head
        won = f"first player {self.first_wins}, second player {self.second_wins}, draws {self.draws}"
        return f"{head}, {self.shortest} to {counted(self.longest, 'ply')}; {won}"


class HangError(BaseException):
    """A game takes too long; no `except Exception` of rules stops it."""


@contextmanager
def bounded(seconds: float) -> Iterator[None]:
    """Raise HangError in the body, and again each second, once it has taken this long; for the main thread alone."""

    def hang(_number: int, _frame: object) -> None:
        raise HangError

    assert threading.current_thread() is threading.main_thread(), "signals come to the main thread"
    began, handler = time.monotonic(), signal.signal(signal.SIGALRM, hang)
    left, interval = signal.setitimer(signal.ITIMER_REAL, seconds, 1.0)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, handler)
        if left:  # a timer of the caller, such as a test's
            signal.setitimer(signal.ITIMER_REAL, max(0.001, left - (time.monotonic() - began)), interval)


@contextmanager
def ended_at_last(seconds: float) -> Iterator[None]:
    """End the process, with the place on standard error, if the body takes this long: no exception reaches C code."""
    assert sys.__stderr__ is not None, "a process of a command"
    faulthandler.dump_traceback_later(seconds, exit=True, file=sys.__stderr__)
    try:
        yield
    finally:
        faulthandler.cancel_dump_traceback_later()


@contextmanager
def silenced() -> Iterator[io.StringIO]:
    """Take all that the body prints; its standard input is empty."""
    printed = io.StringIO()
    before = sys.stdin, sys.stdout, sys.stderr
    sys.stdin, sys.stdout, sys.stderr = io.StringIO(), printed, printed
    try:
        yield printed
    finally:
        sys.stdin, sys.stdout, sys.stderr = before


def check_rules(
    game: AnyGame,
    games: int = GAMES,
    seed: int = 0,
    most_plies: int = MOST_PLIES,
    seconds: float = SECONDS,
    progress: Progress = lambda _done, _of: None,
    *,
    keys: dict[int, str] | None = None,
    may_exit: bool = False,
) -> RulesReport:
    """Play random games and check the rules at each position; for the main thread alone.

    Args:
        game: The game.
        games: The number of games.
        seed: Makes the games, with the id of the game.
        most_plies: The plies after which a game is not followed, unless the game has a number of its own.
        seconds: The time after which a game is not followed.
        progress: Receives the number of games that are played, and of all.
        keys: The positions by their keys so far; MOST_KEYS of them are kept.
        may_exit: Whether a game that hangs outside Python ends the process, with its place and exit code 1.
    """
    report = RulesReport(game.id, seed)
    found = _Failures()
    began, hangs = time.monotonic(), 0
    keys = {} if keys is None else keys
    with silenced() as printed:
        for number in range(games):
            progress(number, games)
            report.games += 1
            one = _RandomGame(game, random.Random(f"{game.id} {seed} {number}"), found, keys, printed)
            try:
                with ended_at_last(seconds + LAST_RESORT_S) if may_exit else nullcontext(), bounded(seconds):
                    one.play(most_plies)
            except HangError:
                one.note_hang(seconds)
                hangs += 1
                if hangs == MOST_HANGS:
                    break
            except Exception as error:
                found.add("exception", f"{_said(error)}{one.trying}", one.moves)
            one.look_at_output()
            _count(report, one)
    report.seconds = time.monotonic() - began
    report.failures = found.shortest
    return report


def _count(report: RulesReport, one: _RandomGame) -> None:
    plies = len(one.moves)
    report.plies += plies
    if one.result is None:
        return
    report.finished += 1
    report.shortest = plies if report.finished == 1 else min(report.shortest, plies)
    report.longest = max(report.longest, plies)
    report.first_wins += one.result > 0
    report.draws += one.result == 0
    report.second_wins += one.result < 0


class _Failures:
    """The shortest failure of each check."""

    def __init__(self) -> None:
        self._found: dict[str, tuple[str, tuple[str, ...]]] = {}
        self._times = Counter[str]()

    def add(self, check: str, wrong: str, moves: Sequence[str]) -> None:
        """Note a failure after moves."""
        if check not in self._found or len(moves) < len(self._found[check][1]):
            self._found[check] = wrong, tuple(moves)
        self._times[check] += 1

    @property
    def shortest(self) -> list[RulesFailure]:
        """The failures, those with the fewest moves first."""
        found = [RulesFailure(check, *one, self._times[check]) for check, one in self._found.items()]
        return sorted(found, key=lambda one: len(one.moves))


@dataclass(frozen=True, slots=True)
class _View:
    """All that a position shows."""

    text: str
    side: int
    result: int | None
    legal: tuple[int, ...]
    names: tuple[str, ...]

    @classmethod
    def of(cls, position: Position) -> _View:
        """Return the view of a position."""
        legal = tuple(position.legal_moves())
        names = tuple(position.move_text(move) for move in legal)
        return cls(str(position), position.side_to_move, position.result, legal, names)

    def difference(self, other: _View) -> str:
        """Return the first thing in which `other` differs; empty if there is none."""
        for name in ("text", "side", "result", "names", "legal"):
            ours, theirs = getattr(self, name), getattr(other, name)
            if ours != theirs:
                return f"{name}: expected {quoted_value(ours)}, got {quoted_value(theirs)}"
        return ""


class _RandomGame:
    """One random game, checked at each position."""

    def __init__(
        self, game: AnyGame, rng: random.Random, found: _Failures, keys: dict[int, str], printed: io.StringIO
    ) -> None:
        """`keys` are those of all positions so far, with the positions."""
        self.moves: list[str] = []
        self.result: int | None = None
        self.trying = ""
        """The use of the rules under way, for messages."""
        self._game = game
        self._rng = rng
        self._found = found
        self._keys = keys
        self._printed = printed
        self._before: tuple[int, ...] = ()
        """The legal moves of the position before."""
        self._since = time.monotonic()
        """The moment of the last move."""

    def play(self, most_plies: int) -> None:
        """Play to the end, or until there is none in sight; raises the exceptions of the rules."""
        most = self._game.most_plies or most_plies
        position = self._game.position()
        while True:
            view = _View.of(position)
            self._check(position, view)
            if view.result is not None:
                break
            if len(self.moves) >= most:
                self._note("length", f"expected an end within {counted(most, 'ply')}, got a running game")
                return
            place = self._rng.randrange(len(view.legal))
            self._before = view.legal
            self._play(position, view.legal[place])
            self.moves.append(view.names[place])
            self._since = time.monotonic()
        self.result = view.result
        self._note_all("end", self._end(view))

    def note_hang(self, seconds: float) -> None:
        """Note that the game took too long: all of its plies, or the last one."""
        if self.moves and time.monotonic() - self._since < seconds / 2:
            wrong = f"expected an end, got a running game after {counted(len(self.moves), 'ply')} in {seconds:g} s"
            self._note("length", wrong)
        else:
            self._note("time", f"no answer within {seconds:g} s{self.trying}")

    def look_at_output(self) -> None:
        """Note what the rules have printed."""
        if text := self._printed.getvalue():
            self._note("output", f"expected no output, got {quoted_input(text.strip())}")
            self._printed.seek(0)
            self._printed.truncate()

    def _note(self, check: str, wrong: str) -> None:
        self._found.add(check, wrong, self.moves)

    def _note_all(self, check: str, wrong: Complaints) -> None:
        for one in wrong:
            self._note(check, one)

    def _play(self, position: Position, move: int) -> None:
        self.trying = f", by play({move})"
        position.play(move)
        self.trying = ""

    def _check(self, position: Position, view: _View) -> None:
        for name, check in self._CHECKS.items():
            self._note_all(name, check(self, position, view))
        self.look_at_output()

    def _moves(self, position: Position, view: _View) -> Complaints:
        if bool(view.legal) == (view.result is not None):
            yield f"expected legal moves while the game runs and none after it, got {len(view.legal)}"
        if any(type(move) is not int for move in view.legal) or len({*view.legal}) < len(view.legal):
            yield f"expected different whole numbers, got {quoted_value(view.legal)}"
        if len({*view.names}) < len(view.names):
            yield f"expected different names, got {quoted_value(view.names)}"
        if wrong := [name for name in view.names if not _is_word(name)]:
            yield f"expected names without blanks, got {wrong[0]!r}"
        if tuple(position.legal_moves()) != view.legal:
            yield "expected the same moves in the same order when asked again"
        if view.legal:
            place = self._rng.randrange(len(view.legal))
            if (read := position.parse_move(view.names[place])) != view.legal[place]:
                yield f"expected {view.legal[place]} for the name {view.names[place]!r}, got {read}"

    def _turns(self, _: Position, view: _View) -> Complaints:
        ply = len(self.moves)
        if (ply == 0 or self._game.takes_turns) and view.side != ply % 2:
            yield f"side_to_move: expected {ply % 2}, got {view.side}"

    def _text(self, _: Position, view: _View) -> Complaints:
        if not _is_word(view.text) or not self._game.is_notation(view.text):
            yield f"expected a word with {self._game.notation_sign!r}, got {quoted_input(view.text)}"
            return
        try:
            again = self._game.position(view.text)
        except PositionError as error:
            yield f"{quoted_input(view.text)} is not read again: {_said(error)}"
            return
        if self._game.text_is_whole and (wrong := view.difference(_View.of(again))):
            yield f"read again, {wrong}"
        if not self.moves:
            with suppress(PositionError):
                self._game.position(WRONG_TEXT)
                yield f"expected ValueError for {WRONG_TEXT!r}, got a position"

    def _copy(self, position: Position, view: _View) -> Complaints:
        twin = position.copy()
        if wrong := view.difference(_View.of(twin)):
            yield wrong
        if view.result is None:
            move = self._rng.choice(view.legal)
            self._play(twin, move)
            if wrong := view.difference(_View.of(position)):
                yield f"play on a copy changes the original: {wrong}"
            if str(twin) == view.text:
                yield f"play({move}) changes nothing"

    def _illegal(self, position: Position, view: _View) -> Complaints:
        strangers = {*self._before, -1, max((*view.legal, *self._before), default=0) + 1} - {*view.legal}
        for move in self._rng.sample(sorted(strangers), min(2, len(strangers))):
            twin = position.copy()
            try:
                self._play(twin, move)
            except IllegalMoveError:
                self.trying = ""
                if wrong := view.difference(_View.of(twin)):
                    yield f"play({move}), which is not legal, has changed the position: {wrong}"
            else:
                yield f"play({move}) is not legal: expected ValueError, got {quoted_value(str(twin))}"

    def _key(self, position: Position, view: _View) -> Complaints:
        key = getattr(position, "key", None)
        if key is None:
            return
        if len(self._keys) < MOST_KEYS:
            self._keys.setdefault(key, view.text)
        if self._game.text_is_whole and (other := self._keys.get(key, view.text)) != view.text:
            yield f"expected different keys of {quoted_value(other)} and {quoted_value(view.text)}, got {key} twice"
        if (again := getattr(self._game.position(view.text), "key", None)) != key:
            yield f"expected {key} again for an equal position, got {again}"

    def _symmetries(self, position: Position, view: _View) -> Complaints:
        if not has_symmetries(position):
            return
        if str(position.transformed(0)) != view.text:
            yield "expected the position itself for symmetry 0"
        number = self._rng.randrange(position.num_symmetries)
        image = position.transformed(number)
        moves = {move: position.transformed_move(number, move) for move in view.legal}
        if (image.side_to_move, image.result) != (view.side, view.result):
            yield f"symmetry {number} changes the side to move or the result"
        if sorted(moves.values()) != sorted(image.legal_moves()):
            yield f"symmetry {number}: the images of the legal moves are not those of the image"
        elif view.legal:
            move, after = self._rng.choice(view.legal), position.copy()
            self._play(after, move)
            self._play(image, moves[move])
            if str(after.transformed(number)) != str(image):
                yield f"symmetry {number}: expected the same position before and after move {move}"

    def _words(self, position: Position, _: _View) -> Complaints:
        for name in () if self.moves else ("notation", "example"):
            self.trying = f", by the moves of {name}"
            try:
                self._game.parse_position(getattr(self._game, name))
            except UsageError as error:
                yield f"{name}: {error}"
            self.trying = ""
        if has_grid(position):
            len(position.cells)  # an error there is an exception
        drawing = self._game.draw(position, None)
        if not (isinstance(drawing, str) and drawing.replace("\n", "").isprintable()):
            yield f"draw: expected printable lines, got {quoted_value(drawing)}"
        said = self._game.result_text(position)
        if not (isinstance(said, str) and said.isprintable()):
            yield f"won_by: expected a line, got {quoted_value(said)}"

    def _end(self, view: _View) -> Complaints:
        if view.result not in (1, 0, -1):
            yield f"result: expected 1, 0 or -1, got {view.result!r}"
        try:
            wrong = view.difference(_View.of(self._game.position(START, self.moves)))
        except IllegalMoveError as error:
            wrong = str(error)
        if wrong:
            yield f"the same moves lead elsewhere: {wrong}"

    _CHECKS: ClassVar[dict[str, Callable[[_RandomGame, Position, _View], Complaints]]] = {
        "moves": _moves,
        "turns": _turns,
        "text": _text,
        "copy": _copy,
        "illegal moves": _illegal,
        "key": _key,
        "symmetries": _symmetries,
        "words": _words,
    }
    """The checks of a position, by name."""


def _cut(moves: Sequence[str]) -> str:
    if len(moves) <= MOST_SHOWN:
        return " ".join(moves)
    half = MOST_SHOWN // 2
    return f"{' '.join(moves[:half])} … {' '.join(moves[-half:])} ({counted(len(moves), 'ply')})"


def _is_word(text: object) -> bool:
    return isinstance(text, str) and text.isprintable() and text.split() == [text]


def _said(error: Exception) -> str:
    if isinstance(error, RulesError | PositionError):
        return failure(error.__cause__) if error.__cause__ is not None else str(error)
    return failure(error)
