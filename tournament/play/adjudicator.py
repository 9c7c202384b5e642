"""Adjudication: the end of a game before the rules end it, by agreed scores, by its length or by a proof."""

from __future__ import annotations

from collections.abc import Sequence

from fiedler.games.forced_win import forced_win
from fiedler.games.position import Position
from fiedler.games.result import Result
from fiedler.support.text import counted
from fiedler.tournament.play.referee import Outcome, Referee, lost
from fiedler.tournament.schedule.schedule import Adjudication
from fiedler.tournament.termination import Termination

PROOF_NODES = 300
"""Positions of a search for a forced win; it takes microseconds to some tenths of a millisecond a ply."""


class Adjudicator:
    """Judges one game after each move, with the scores that both players have reported."""

    def __init__(self, table: Adjudication, referee: Referee, names: Sequence[str]) -> None:
        self._table = table
        self._referee = referee
        self._names = names
        self._lost = [[0, 0], [0, 0]]
        """By side: the consecutive moves of each side whose scores had it lost."""
        self.reads_scores = table.resign_score is not None or table.draw_score is not None
        """Whether scores matter: reading one takes longer than all else here."""
        self._even = [0, 0]
        """The consecutive moves of each side whose scores had the game even."""

    def judge(self, side: int, score: int | None) -> Outcome | None:
        """Return the outcome after a move of `side` with its own score; None if the game continues."""
        return (self._by_scores(side, score) if self.reads_scores else None) or self._by_length() or self._by_proof()

    def _note(self, side: int, score: int | None) -> None:
        limit, narrow = self._table.resign_score, self._table.draw_score
        for loser in (0, 1):
            own = None if score is None else score if loser == side else -score
            is_lost = limit is not None and own is not None and own <= -limit
            _count(self._lost[loser], side, goes_on=is_lost)
        even = narrow is not None and score is not None and abs(score) <= narrow
        _count(self._even, side, goes_on=even)

    def _by_scores(self, side: int, score: int | None) -> Outcome | None:
        self._note(side, score)
        table = self._table
        for loser, moves in enumerate(self._lost):
            if min(moves) >= table.resign_moves:
                agreed = f"beyond {table.resign_score} cp for {counted(table.resign_moves, 'move')} of each side"
                return lost(
                    loser, Termination.ADJUDICATION, f"both players report that {self._names[loser]} is lost: {agreed}"
                )
        if min(self._even) >= table.draw_moves and len(self._referee.moves) >= table.draw_after:
            agreed = f"within {table.draw_score} cp for {counted(table.draw_moves, 'move')} of each side"
            return Outcome(Result.DRAW, Termination.ADJUDICATION, f"both players report an even position: {agreed}")
        return None

    def _by_length(self) -> Outcome | None:
        plies, most = len(self._referee.moves), self._table.max_plies
        if most is None or plies < most:
            return None
        return Outcome(Result.DRAW, Termination.ADJUDICATION, f"{counted(plies, 'ply')} played, of {most} at most")

    def _by_proof(self) -> Outcome | None:
        if not self._table.proof:
            return None
        position = self._referee.position
        if not self._referee.game.can_be_won(position):
            return Outcome(Result.DRAW, Termination.ADJUDICATION, "proof: no line is open to either side")
        found = forced_win(position, PROOF_NODES)
        if found is None:
            return None
        plies, line = found
        winner = position.side_to_move
        why = f"proof: {self._names[winner]} wins by force within {counted(plies, 'ply')}, {_text(position, line)}"
        return lost(1 - winner, Termination.ADJUDICATION, why)


def _count(moves: list[int], side: int, *, goes_on: bool) -> None:
    """Count a move of a side, or begin again."""
    if goes_on:
        moves[side] += 1
    else:
        moves[:] = 0, 0


def make_adjudicator(table: Adjudication, referee: Referee, names: Sequence[str]) -> Adjudicator | None:
    """Return the adjudicator of one game between the players of these names; None if the schedule has none."""
    return None if table == Adjudication() else Adjudicator(table, referee, names)


def _text(position: Position, line: Sequence[int]) -> str:
    """Return the moves of a line as text."""
    board, words = position.copy(), []
    for move in line:
        words.append(board.move_text(move))
        board.play(move)
    return " ".join(words)
