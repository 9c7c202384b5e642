"""Chess and Chess960: their pieces, their ends, and positions as FEN."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TypeGuard

from fiedler import native
from fiedler.games.board import Kind, Piece
from fiedler.games.chess_moves import KINDS
from fiedler.games.chess_shapes import SHAPES
from fiedler.games.chess_steps import refused_steps
from fiedler.games.game import MOVES, START, AnyGame, Change, Game
from fiedler.games.position import Position
from fiedler.games.san import has_form, is_uci, read_move, sans
from fiedler.games.scharnagl import STARTS, numbered_start

_TURN = re.compile(r"(?<!\S)\d+\.+(?:\s+|(?=\S))", re.ASCII)
"""The number of a turn before a move."""
_FIELDS = 6
"""The fields of a FEN."""
PIECES = tuple(
    Piece(sign, side, f"{color} {kind}", shape)
    for side, (color, signs) in enumerate((("white", "PNBRQK"), ("black", "pnbrqk")))
    for sign, kind, shape in zip(signs, KINDS, SHAPES, strict=True)
)
"""White's pieces and then Black's, with the letters of a FEN."""
KINGS = 6, 12
"""The places of the kings among the pieces, from 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ChessGame(Game):
    """Chess, or a variant with its board and its pieces."""

    variants: tuple[str, ...] = ("chess", "standard", "normal", "fromposition")
    """Values of the tag Variant in PGN, in small letters, without blanks and signs."""

    def start_and_moves(self, text: str) -> tuple[str, list[str]]:
        """Return the start of a user's position, and its moves, both unchecked; moves may stand alone.

        A FEN may have blanks in place of `_`, and the word `fen` before it. Numbers of turns, as in PGN, are left out.

        Raises:
            UsageError: The order of the words is wrong.
        """
        words = self.without_numbers(text).split()
        if words[:1] == ["fen"]:
            words = words[1:]
        if words and self.is_notation(words[0]):
            end = words.index(MOVES) if MOVES in words else len(words)
            words = ["_".join(words[:end]), *words[end:]]
        return AnyGame.start_and_moves(self, " ".join(words))

    def spelled(self, word: str) -> str:
        """Return a word in small letters, unless capitals are pieces: in standard algebraic notation."""
        small = word.lower()
        return small if is_uci(small) or not has_form(word) else word

    def without_numbers(self, text: str) -> str:
        """Return the moves of a person without the numbers of turns, as in PGN."""
        return _TURN.sub("", text)

    def read_move(self, position: Position, text: str) -> int:
        """Return the legal move of a name as in UCI, or in standard algebraic notation.

        Raises:
            IllegalMoveError: There is none, or several.
        """
        assert isinstance(position, native.Position), "a position of the core"
        return read_move(position, text)

    def shown(self, before: Position, after: Position) -> Sequence[Change]:
        """Return the cells that the move between two positions changed; of a move that castles the king's first."""
        return sorted(AnyGame.shown(self, before, after), key=lambda change: (not change[1], change[1] not in KINGS))

    def refused_steps(self, position: Position) -> Mapping[str, str]:
        """Return the steps that pieces could make and the laws refuse, with the reason."""
        assert isinstance(position, native.Position), "a position of the core"
        return refused_steps(position)

    def pgn_moves(self, moves: Sequence[str], start: str = START) -> Sequence[str]:
        """Return the moves from `start` in standard algebraic notation.

        Raises:
            IllegalMoveError: A move is wrong.
        """
        return [*sans(self.position(start), moves)]

    def written_start(self, start: str) -> str:
        """Return a start with the blanks of a FEN, as engines of UCI read it."""
        return start.replace("_", " ")

    def engine_options(self) -> Mapping[str, str]:
        """Return the option of UCI that decides how an engine castles: some begin with Chess960."""
        return {"UCI_Chess960": "false"}

    def read_start(self, text: str) -> str:
        """Return a FEN with blanks in one word, unchecked."""
        return "_".join(text.split())

    def leading_start(self, words: Sequence[str]) -> tuple[str, Sequence[str]]:
        """Return the FEN that words begin with, with blanks or `_`, in one word, and the words behind it."""
        count = fields = 0
        while count < len(words) and fields < _FIELDS and words[count] != MOVES:
            fields += words[count].count("_") + 1
            count += 1
        return "_".join(words[:count]), words[count:]

    def plays_variant(self, name: str) -> bool:
        """Return whether the tag Variant names these rules, in a spelling of a known program."""
        return "".join(filter(str.isalnum, name.lower())) in self.variants


@dataclass(frozen=True, slots=True, kw_only=True)
class Chess960Game(ChessGame):
    """Chess960: programs that also know chess need the name of the variant."""

    num_starts: int = STARTS
    variants: tuple[str, ...] = ("chess960", "fischerandom", "fischerrandom", "fischerandomchess960", "frc")

    def engine_options(self) -> Mapping[str, str]:
        """Return the option of UCI without which an engine castles as in chess."""
        return {"UCI_Chess960": "true"}

    def numbered_start(self, number: int) -> str:
        """Return the start of a number from 0 to 959, as a FEN in one word."""
        return numbered_start(number)

    def pgn_tags(self) -> Mapping[str, str]:
        """Return the tag of the variant."""
        return {"Variant": "Chess960"}


def chess_game(name: str, title: str, description: str, kind: type[ChessGame] = ChessGame) -> ChessGame:
    """Return chess or a variant of the core, by its id."""
    return kind(
        id=name,
        name=title,
        sides=("White", "Black"),
        win_reason=_ending,
        draw_reason=_ending,
        description=description,
        notation="rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR_b_KQkq_-_0_1",
        notation_sign="/",
        notation_form="the six fields of a FEN",
        text_is_whole=False,
        family="chess",
        example="startpos moves e2e4 e7e5 d1h5 b8c6 f1c4 g8f6 h5f7",
        board=Kind.SQUARES,
        checkered=True,
        steps=True,
        pieces=PIECES,
    )


def _ending(position: Position) -> str:
    assert isinstance(position, native.Position), "a position of the core"
    return position.ending


def is_chess(game: AnyGame) -> TypeGuard[ChessGame]:
    """Return whether a game is chess or a variant, which files of EPD and books of PolyGlot are for."""
    return isinstance(game, ChessGame)
