"""A game for its users: its names, its winning lines, its drawing, its start."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar

from fiedler import native
from fiedler.games import drawing
from fiedler.games.board import STONES, Kind, Piece, changed_cells
from fiedler.games.errors import IllegalMoveError, PositionError
from fiedler.games.lines import Line
from fiedler.games.position import Position, fills_cells, has_grid
from fiedler.games.prospects import block_line_open, line_open
from fiedler.games.refusal import refusal
from fiedler.games.rule_keys import GivenRules, RuleKey, chosen, parsed_rules, rule_words, split_rules
from fiedler.games.wins import full_block_lines, full_lines
from fiedler.support.errors import UsageError

START, MOVES = "startpos", "moves"
"""The start position, and the word before the moves, in a user's position."""
Change = tuple[int, int]
"""A cell, and its piece after a move: its place in `AnyGame.pieces`, from 1, or 0 if the cell is empty."""
_PositionT = TypeVar("_PositionT", bound=Position)


@dataclass(frozen=True, slots=True, kw_only=True)
class AnyGame:
    """One game of two players with complete information, in the core or not: all that a tournament asks of it."""

    id: str
    """The name on the command line and in schedules, such as `uttt`."""
    name: str
    """The readable name."""
    sides: tuple[str, str]
    """The names of the first and the second player."""
    win_reason: str | Callable[[Position], str]
    """The way to win, such as `three in a row`; a function of the last position if there are several ways."""
    draw_reason: str | Callable[[Position], str] = "draw"
    """How a game is drawn, such as `no moves left`, or a function likewise; `draw` if there is no more to say."""
    description: str
    """The rules in a sentence."""
    notation: str
    """An example of a position in one word, which has the sign of one."""
    example: str
    """The position on the game's page: `startpos moves m1 m2 …`."""
    rules: Callable[[str], Position] = field(compare=False, repr=False)
    """Returns the position of `startpos` or a one-word notation; raises PositionError."""
    board: Kind | None = None
    """None: the game has no board of cells, and is shown as text."""
    checkered: bool = False
    """Whether the squares of the board have two colours in turn."""
    steps: bool = False
    """Whether a move is a piece's step from a cell to another one, which begin its name, as in `e2e4` and `e7e8q`."""
    pieces: tuple[Piece, ...] = STONES
    """The kinds of pieces; a cell with a piece has its place here, from 1."""
    in_a_row: int | None = None
    """The number of stones in a winning line, or of blocks, each won in the same way; None: no line wins."""
    longer_wins: tuple[bool, bool] = (True, True)
    """Whether a longer line wins, too, for the first and the second player."""
    only_lines_win: bool = True
    """False if a game can also be won without a line."""
    has_area: bool = False
    """Whether the larger area wins, as in Go: pages count the stones that moves take, and show the points of sides."""
    blocks: int = 0
    """Cells along the side of a block; 0 if the board has none."""
    rigid_symmetries: int | None = None
    """The number of the core's symmetries, the first ones, that move the board as a whole; None: all of them."""
    notation_sign: str = ";"
    """A sign of each position in one word, which no move has."""
    notation_form: str = "'X;' or 'O;' and the board"
    """The form of such a word, for messages."""
    text_is_whole: bool = True
    """False if a position in one word lacks its history, which ends games, or has counters that its key does not."""
    has_rules: bool = True
    """False if its players alone know the rules: then nothing here judges a move or a result."""
    takes_turns: bool = True
    """False if a side may move twice in a row: then each position says whose move it is."""
    most_plies: int | None = None
    """The plies of the longest game; None if unknown."""
    points: int = 0
    """Points along a side of the board, if the last word of a move's name is one of them, such as `a1`, or `pass`."""
    family: str = ""
    """The games that an engine plays which says so, `chess` or `Go`; empty if engines do not say so."""
    rule_keys: tuple[RuleKey, ...] = ()
    """The rules that a tournament may choose; others than the default ones are a part of the position."""
    num_starts: int = 1
    """The starts of the game by its rules."""
    first_moves: tuple[tuple[str, str], ...] = ()
    """A move of each kind of first moves, and the name of the kind; empty if they have no names."""

    @property
    def has_cells(self) -> bool:
        """Whether it has a board of cells, which pages draw; another game is text."""
        return self.board is not None and has_grid(self.position())

    @property
    def has_proofs(self) -> bool:
        """Whether a line alone wins: then a closed board is a draw, and threats prove a win."""
        return self.in_a_row is not None and self.only_lines_win

    def position(self, text: str = START, moves: Iterable[str] = ()) -> Position:
        """Return the position of `text` (`startpos` or the one-word notation) after `moves`.

        Raises:
            PositionError: The text is wrong.
            IllegalMoveError: A move is wrong.
        """
        return _after(self.rules(text), moves)

    def parse_position(self, text: str) -> Position:
        """Return the position of a user's `[startpos|WORD] [moves] [m1 m2 …]`.

        Raises:
            UsageError: The text or a move is wrong.
        """
        return _parsed(self, self.rules, text)

    def with_rules(self, start: str, rules: GivenRules) -> str:
        """Return a start, START or a position in one word, by these rules, which are right.

        Raises:
            UsageError: The start names other rules.
        """
        ours, (board, theirs) = rule_words(self.rule_keys, rules), split_rules(start)
        if not self.rule_keys or (not ours and not theirs):
            return start
        if theirs and chosen(self.rule_keys, parsed_rules(self.rule_keys, theirs)) != chosen(self.rule_keys, rules):
            raise UsageError(f"expected a start by the rules of the game ({self.rules_text(rules)}), got {start!r}")
        return ";".join([str(self.position()) if board == START else board, *ours])

    def with_other_rules(self, start: str, rules: GivenRules) -> str:
        """Return a start in which these rules, which are right, replace its own."""
        return self.with_rules(split_rules(start)[0], {**self.rules_of(start), **rules})

    def rules_text(self, rules: GivenRules) -> str:
        """Return all rules that may be chosen, as `komi=6.5, suicide=false`; empty if there are none."""
        return ", ".join(key.text(rules.get(key.name, key.default)) for key in self.rule_keys)

    def is_bare(self, start: str) -> bool:
        """Return whether a start differs from that of the game by its rules alone."""
        return start == START or bool(self.rule_keys and split_rules(start)[0] == str(self.position()))

    def rules_of(self, start: str) -> GivenRules:
        """Return the rules of a start, START or a right position in one word, that are not the default ones."""
        return parsed_rules(self.rule_keys, split_rules(start)[1]) if self.rule_keys else {}

    def start_and_moves(self, text: str) -> tuple[str, list[str]]:
        """Return the start of a user's position, and its moves, both unchecked; moves may stand alone.

        Commas between moves are blanks, and capitals in them are small letters.

        Raises:
            UsageError: The order of the words is wrong.
        """
        text = text.encode(errors="replace").decode()  # bytes that are not text come as lone surrogates
        words = [word if self.is_notation(word) else self.spelled(word) for word in text.replace(",", " ").split()]
        words = words or [START]
        if self.is_first_move(words[0]):
            words.insert(0, MOVES)
        if words[0] == MOVES:
            words.insert(0, START)
        word, *rest = words
        if word == "fen":
            raise UsageError(f"position: leave out 'fen': a notation stands by itself, such as {self.notation!r}")
        if word != START and not self.is_notation(word):
            example = self.position().move_text(self.position().legal_moves()[0])
            raise UsageError(
                f"position: expected '{START}', {self.notation_form}, or moves such as {example}, got {word!r}"
            )
        if rest and rest[0] != MOVES:
            raise UsageError(f"position: expected 'moves' after the position, got {rest[0]!r}")
        return word, rest[1:]

    def is_notation(self, word: str) -> bool:
        """Return whether a word has the form of a position in one word."""
        return self.notation_sign in word

    def is_first_move(self, word: str) -> bool:
        """Return whether a word is a move in the start position."""
        try:
            self.read_move(self.position(), word)
        except IllegalMoveError:
            return False
        return True

    def spelled(self, word: str) -> str:
        """Return a word of a person as moves are written: by default in small letters."""
        return word.lower()

    def without_numbers(self, text: str) -> str:
        """Return the moves of a person without the numbers of turns: by default unchanged, as numbers may be moves."""
        return text

    def read_move(self, position: Position, text: str) -> int:
        """Return the legal move of a name as people and PGN write it: by default in the notation of the game.

        Players of the protocols have that notation alone.

        Raises:
            IllegalMoveError: There is none.
        """
        return position.parse_move(text)

    def read_moves(self, moves: Iterable[str], start: str = START) -> list[str]:
        """Return moves from `start`, named as in `read_move`, in the notation of the game.

        Raises:
            PositionError: The start is wrong.
            IllegalMoveError: A move is wrong.
        """
        position, names = self.position(start), list[str]()
        for text in moves:
            move = self.read_move(position, text)
            names.append(position.move_text(move))
            position.play(move)
        return names

    def draw(self, position: Position, last: int | None = None) -> str:
        """Return the board as lines of text, `last` (the move just played) marked, or the lines that won.

        Without a board of cells it is the notation.
        """
        if self.board is None or not has_grid(position):
            return str(position)
        won = self.winning_cells(position)
        return drawing.draw(position, self.board, won, last, block=self.blocks, pieces=self.pieces)

    def shown(self, before: Position, after: Position) -> Sequence[Change]:
        """Return the cells that the move between two positions changed, that of the move first; none without a grid.

        The first one is marked as the last move. By default it is a cell that was empty, or else one with a new piece.
        """
        if not has_grid(before) or not has_grid(after):
            return ()
        old, new = before.cells, after.cells
        found = sorted(changed_cells(old, new), key=lambda cell: (not new[cell], old[cell] != 0, cell))
        return [(cell, new[cell]) for cell in found]

    def refused_steps(self, position: Position) -> Mapping[str, str]:  # noqa: ARG002
        """Return illegal steps of a running game that have a reason of their own, with it: by default none."""
        return {}

    def winning_cells(self, position: Position) -> frozenset[int]:
        """Return the indices in `position.cells` of the lines that won; none while the game runs, or of a draw."""
        return frozenset(cell for line in self.winning_lines(position) for cell in line)

    def winning_lines(self, position: Position) -> tuple[Line, ...]:
        """Return the lines that won, each as indices in `position.cells`; none while the game runs, or of a draw.

        A longer line has several. Where lines of blocks win, they are the lines that won these blocks.
        """
        if not position.result or self.in_a_row is None or not has_grid(position):
            return ()
        side = int(position.result < 0)
        if self.blocks:
            return tuple(full_block_lines(position, self.in_a_row, self.blocks, side + 1))
        return tuple(full_lines(position, self.in_a_row, side + 1, exactly=not self.longer_wins[side]))

    def can_be_won(self, position: Position) -> bool:
        """Return whether a side may still complete a winning line; True if unknown.

        False proves that the running game ends in a draw, or by a move that is against the rules.
        """
        if self.in_a_row is None or not self.only_lines_win or not fills_cells(position):
            return True
        if self.blocks:
            return block_line_open(position, self.in_a_row, self.blocks)
        return line_open(position, self.in_a_row)

    def pgn_moves(self, moves: Sequence[str], start: str = START) -> Sequence[str]:  # noqa: ARG002
        """Return the moves from `start` as PGN has them: by default unchanged.

        Raises:
            IllegalMoveError: A move is wrong; never by default.
        """
        return moves

    def written_start(self, start: str) -> str:
        """Return a start as programs and the tag FEN have it: by default unchanged."""
        return start

    def numbered_start(self, number: int) -> str:  # noqa: ARG002
        """Return one of the starts of the game, from 0 to `num_starts` - 1, in one word."""
        return START

    def read_start(self, text: str) -> str:
        """Return a start of the tag FEN in one word, unchecked: the inverse of `written_start`."""
        return text

    def leading_start(self, words: Sequence[str]) -> tuple[str, Sequence[str]]:
        """Return the position that words of a list begin with, in one word and unchecked, and the words behind it.

        The first word has the form of a position.
        """
        return words[0], words[1:]

    def plays_variant(self, name: str) -> bool:  # noqa: ARG002
        """Return whether the tag Variant of a PGN may have this value: by default any."""
        return True

    def engine_options(self) -> Mapping[str, str]:
        """Return the options, by name, that an engine of several games needs for this one: by default none.

        They are set only where the engine offers them.
        """
        return {}

    def pgn_tags(self) -> Mapping[str, str]:
        """Return the tags of every PGN of the game beside the usual ones: by default none."""
        return {}

    def result_text(self, position: Position) -> str:
        """Return the result of the finished game in a few words, such as `X wins by three in a row`."""
        if position.result is None:
            return f"{self.sides[position.side_to_move]} to move"
        how = self.ended_by(position)
        if position.result == 0:
            return how if how == "draw" else f"draw by {how}"
        return f"{self.sides[position.result < 0]} wins by {how}"

    def ended_by(self, position: Position) -> str:
        """Return how the finished game was won, or drawn."""
        return self.won_by(position) if position.result else _reason(self.draw_reason, position)

    def won_by(self, position: Position) -> str:
        """Return how the finished game was won; it must not be a draw."""
        return _reason(self.win_reason, position)


@dataclass(frozen=True, slots=True, kw_only=True)
class Game(AnyGame):
    """One game of the native core, which has its rules under the same id: searches and training need one."""

    rules: Callable[[str], native.Position] = field(init=False, compare=False, repr=False)
    board: Kind
    most_plies: int = field(init=False)

    def __post_init__(self) -> None:
        """Take the rules from the core."""
        rules = partial(native.Position, self.id)
        object.__setattr__(self, "rules", rules)  # the value is frozen
        object.__setattr__(self, "most_plies", rules(START).plies_left)

    def position(self, text: str = START, moves: Iterable[str] = ()) -> native.Position:
        """Return the position of `text` (`startpos` or the one-word notation) after `moves`.

        Raises:
            PositionError: The text is wrong.
            IllegalMoveError: A move is wrong.
        """
        return _after(self.rules(text), moves)

    def parse_position(self, text: str) -> native.Position:
        """Return the position of a user's `[startpos|WORD] [moves] [m1 m2 …]`.

        Raises:
            UsageError: The text or a move is wrong.
        """
        return _parsed(self, self.rules, text)

    @property
    def board_symmetries(self) -> range:
        """The numbers of the rotations and reflections of the board."""
        every = self.position().num_symmetries
        return range(every if self.rigid_symmetries is None else self.rigid_symmetries)


def _after(position: _PositionT, moves: Iterable[str]) -> _PositionT:
    """Play moves, and return the position."""
    for move in moves:
        position.play(position.parse_move(move))
    return position


def _parsed(game: AnyGame, rules: Callable[[str], _PositionT], text: str) -> _PositionT:
    """Return the position of a user's text by the rules of a game; raises UsageError."""
    start, moves = game.start_and_moves(text)
    try:
        position = rules(start)
    except PositionError as error:
        raise UsageError(str(error)) from None
    for number, move in enumerate(moves, 1):
        if why := refusal(game, position, move):
            raise UsageError(f"position: move {number}: {why.removeprefix('move: ')}")
        position.play(game.read_move(position, move))
    return position


def _reason(how: str | Callable[[Position], str], position: Position) -> str:
    return how if isinstance(how, str) else how(position)
