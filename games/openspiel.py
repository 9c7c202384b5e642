"""The games of OpenSpiel, as a tournament needs them: `openspiel:breakthrough(rows=6,columns=6)`.

A position is a state of the library; its notation is the list of the actions that lead to it. A move is such an action,
a number; its name is the library's text with `_` for each blank.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any, Self

from fiedler.games import openspiel_library
from fiedler.games.errors import IllegalMoveError, PositionError
from fiedler.games.game import MOVES, START, AnyGame
from fiedler.games.openspiel_library import PREFIX
from fiedler.games.position import Position
from fiedler.support.errors import UsageError, quoted_input, without_middle
from fiedler.support.text import counted

TURNLESS = frozenset(
    {
        "amazons",
        "checkers",
        "chinese_checkers",
        "cursor_go",
        "dots_and_boxes",
        "mancala",
        "nine_mens_morris",
        "ultimate_tic_tac_toe",
    }
)
"""The games in which a side may move twice in a row."""
WINS = {
    "amazons": "the last move",
    "breakthrough": "a piece on the last row, or no piece left",
    "chess": "checkmate",
    "clobber": "the last move",
    "dots_and_boxes": "more boxes",
    "go": "more points",
    "hex": "a chain from side to side",
    "mancala": "more seeds",
    "othello": "more discs",
    "oware": "more seeds",
    "tic_tac_toe": "three in a row",
    "ultimate_tic_tac_toe": "three boards in a row",
    "y": "a chain between the three sides",
}
"""How these games are won."""
OTHELLO_POINTS = 8
MOST_DRAWN = 300
"""The most characters of a board of one line: that of hive has all moves."""
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
_ACTIONS = re.compile(r"\d{1,9}(,\d{1,9})*", re.ASCII)


class SpielPosition:
    """A position of one of these games. The first player is the one who moves first, in chess the library's second."""

    __slots__ = ("_first", "_named", "game", "state")

    def __init__(self, game: str, state: Any, first: int) -> None:  # noqa: ANN401 - the library has no types
        """`game` is the id, `state` a `pyspiel.State` that nobody else changes, `first` its player who begins."""
        self.game = game
        self.state = state
        self._first = first
        self._named: Mapping[str, int] | None = None

    @property
    def side_to_move(self) -> int:
        """0 first player, 1 second player; after the end the one that did not make the last move."""
        player = self.state.current_player()
        if player < 0:
            player = 1 - self.state.full_history()[-1].player
        return int(player != self._first)

    @property
    def result(self) -> int | None:
        """None while the game is running; 1 the first player won, -1 the second player won, 0 draw."""
        if not self.state.is_terminal():
            return None
        gain = self.state.player_return(self._first)
        return int(gain > 0) - int(gain < 0)

    @property
    def board(self) -> str:
        """The library's drawing, without colours."""
        lines = [line.rstrip() for line in _COLOURS.sub("", str(self.state)).splitlines()]
        return "\n".join(lines).strip("\n") if len(lines) > 1 else without_middle("".join(lines), MOST_DRAWN)

    def copy(self) -> Self:
        """Return a position that `play` on this one leaves alone."""
        return type(self)(self.game, self.state.clone(), self._first)

    def legal_moves(self) -> Sequence[int]:
        """Return the legal actions, in increasing order."""
        return [] if self.state.is_terminal() else list(self.state.legal_actions())

    def play(self, move: int) -> None:
        """Play an action.

        Raises:
            IllegalMoveError: It is not legal; nothing has changed.
        """
        legal = self.legal_moves() if self._named is None else self._named.values()
        if move not in legal:
            raise IllegalMoveError(f"move: expected one of {counted(len(legal), 'legal move')}, got {move} in {self}")
        self.state.apply_action(move)
        self._named = None

    def parse_move(self, text: str) -> int:
        """Return the legal action of this name.

        Raises:
            IllegalMoveError: There is none.
        """
        try:
            return self._names[text]
        except KeyError:
            such = f"a legal move such as {next(iter(self._names))}" if self._names else "none, the game is over"
            raise IllegalMoveError(f"move: expected {such}, got {quoted_input(text)} in {self}") from None

    def move_text(self, move: int) -> str:
        """Return the name of a legal action."""
        return str(self.state.action_to_string(self.state.current_player(), move)).replace(" ", "_")

    def __str__(self) -> str:
        """Return the actions from the start, with commas, or `startpos`."""
        return ",".join(map(str, self.state.history())) or START

    @property
    def _names(self) -> Mapping[str, int]:
        """The legal actions by their names: the library's own reader of names fails in some games."""
        if self._named is None:
            self._named = {self.move_text(action): action for action in self.legal_moves()}
        return self._named


@dataclass(frozen=True, slots=True, kw_only=True)
class SpielGame(AnyGame):
    """One of these games."""

    library: Any = field(compare=False, repr=False)
    """The `pyspiel.Game`."""
    caution: str = ""
    """The library's warning about its rules."""
    rules: Callable[[str], SpielPosition] = field(compare=False, repr=False)

    def position(self, text: str = START, moves: Iterable[str] = ()) -> SpielPosition:
        """Return the position of `startpos` or a list of actions after `moves`.

        Raises:
            PositionError: The text is wrong.
            IllegalMoveError: A move is wrong.
        """
        position = self.rules(text)
        for move in moves:
            position.play(position.parse_move(move))
        return position

    def start_and_moves(self, text: str) -> tuple[str, list[str]]:
        """Return the start of a user's position, and its moves, both unchecked; moves may stand alone.

        Names have commas and capitals. A word such as `2,4` that is a move, too, is a position if `moves` follows.

        Raises:
            UsageError: The order of the words is wrong.
        """
        words = text.split() or [START]
        is_start = self.is_notation(words[0]) and (words[0] == START or words[1:2] in ([], [MOVES]))
        if words[0] == MOVES or not is_start or (len(words) == 1 and self.is_first_move(words[0])):
            words = [START, *([] if words[0] == MOVES else [MOVES]), *words]
        word, *rest = words
        if rest and rest[0] != MOVES:
            raise UsageError(f"position: expected 'moves' after the position, got {quoted_input(rest[0])}")
        return word, rest[1:]

    def is_notation(self, word: str) -> bool:
        """Return whether a word has the form of a list of actions, or is `startpos`: the start has no other word."""
        return word == START or _ACTIONS.fullmatch(word) is not None

    def draw(self, position: Position, last: int | None = None) -> str:  # noqa: ARG002 - the library marks no move
        """Return the library's drawing of the board as lines of text."""
        assert isinstance(position, SpielPosition)
        return position.board


@cache
def spiel_game(name: str) -> SpielGame:
    """Return the game of a name that begins with the prefix; raises as `loaded_game`.

    The library's warning about a game comes on standard error, once.
    """
    game = loaded_game(name)
    if game.caution:
        print(f"warning: {name}: {game.caution}", file=sys.stderr, flush=True)
    return game


@cache
def loaded_game(name: str) -> SpielGame:
    """Return the game of a name that begins with the prefix.

    Raises:
        UsageError: The game is unknown, cannot be played here, or the library is not installed.
    """
    inner = name.removeprefix(PREFIX)
    library, caution = openspiel_library.load(inner)
    kind = library.get_type()
    start = _position(name, library, START)
    action = start.legal_moves()[0]
    return SpielGame(
        id=name,
        name=kind.long_name,
        sides=("First", "Second"),
        win_reason=WINS.get(kind.short_name, f"the rules of {name}"),
        description=f"{kind.long_name}, by the rules of OpenSpiel",
        notation=str(action),
        example=f"{START} {MOVES} {start.move_text(action)}",
        rules=partial(_position, name, library),
        takes_turns=kind.short_name in openspiel_library.playable_names() and kind.short_name not in TURNLESS,
        most_plies=library.max_game_length(),
        points=_points(kind.short_name, library.get_parameters()),
        library=library,
        caution=caution,
    )


def _points(name: str, parameters: Mapping[str, Any]) -> int:
    """Return the points along a side of a board whose moves are its points, and where Black begins; else 0."""
    if name == "othello":
        return OTHELLO_POINTS
    if name == "havannah":
        return 2 * int(parameters["board_size"]) - 1
    if name == "hex":
        return max(int(parameters["num_cols"]), int(parameters["num_rows"]))
    return int(parameters["board_size"]) if name == "y" or (name == "go" and not parameters["handicap"]) else 0


def _position(name: str, library: Any, text: str) -> SpielPosition:  # noqa: ANN401
    """Return the position of a list of actions; raises PositionError."""
    state = library.new_initial_state()
    position = SpielPosition(name, state, state.current_player())
    if text == START:
        return position
    if not _ACTIONS.fullmatch(text):
        raise PositionError(f"position: expected {START} or actions such as 0,15,7, got {quoted_input(text)}")
    for number, action in enumerate(map(int, text.split(",")), 1):
        if action not in position.legal_moves():
            raise PositionError(f"position: action {number}: expected a legal one, got {action}")
        position.state.apply_action(action)
    return position
