"""Chess by python-chess, a library of others, with the draws that end a game at once here."""

from __future__ import annotations

import chess

RESULTS = {True: 1, False: -1}


class PythonChess:
    """A game of chess or Chess960 from its start, or from a FEN."""

    def __init__(self, *, shuffled: bool = False, fen: str = chess.STARTING_FEN) -> None:
        self.board = chess.Board(fen, chess960=shuffled)

    def moves(self) -> set[str]:
        return set() if self.result() is not None else {move.uci() for move in self.board.legal_moves}

    def play(self, name: str) -> None:
        self.board.push_uci(name)

    def ending(self) -> str:
        """How the game ended, in our words; empty while it is running."""
        board = self.board
        if board.is_checkmate():
            return "checkmate"
        if board.is_stalemate():
            return "stalemate"
        if board.is_insufficient_material():
            return "insufficient material"
        if board.halfmove_clock >= 100:
            return "the 50-move rule"
        return "threefold repetition" if board.is_repetition(3) else ""

    def result(self) -> int | None:
        """1 the first player won, -1 the second, 0 draw, None running."""
        ending = self.ending()
        if ending == "checkmate":
            return RESULTS[not self.board.turn]
        return 0 if ending else None

    def cells(self) -> bytes:
        return bytes(self._piece(square ^ 56) for square in chess.SQUARES)

    def notation(self) -> str:
        """The FEN in one word."""
        return self.board.fen().replace(" ", "_")

    def _piece(self, square: chess.Square) -> int:
        piece = self.board.piece_at(square)
        return 0 if piece is None else piece.piece_type + (0 if piece.color else 6)
