"""The queries of UGI, and the words of their answers."""

from collections.abc import Callable
from typing import Protocol

GAMEOVER, P1TURN, RESULT = "gameover", "p1turn", "result"
LEGAL_MOVES, POSITION, BOARD, CAPABILITIES = "legalmoves", "position", "board", "capabilities"
QUERIES = (GAMEOVER, P1TURN, RESULT, LEGAL_MOVES, POSITION, BOARD, CAPABILITIES)
"""The words after `query`: the first three as published, the others ours."""
EXTENSIONS = (LEGAL_MOVES, POSITION, BOARD, CAPABILITIES, "infinite", "stop")
"""The answer to `query capabilities`: the extensions of the published page."""
TRUTH = {"true": True, "false": False}
ENDS = {"p1win": 1, "p2win": -1, "draw": 0}
"""The answers to `query result` about a game that is over, with the results as in `JudgedPosition`."""
RUNNING = "none"
"""Our answer to it about a game that is not over."""
_TRUTH = {meaning: word for word, meaning in TRUTH.items()}
_ENDS = {meaning: word for word, meaning in ENDS.items()}


class JudgedPosition(Protocol):
    """A position with its result by the rules."""

    @property
    def side_to_move(self) -> int:
        """0 first player, 1 second player."""

    @property
    def result(self) -> int | None:
        """None while the game is running; 1 the first player won, -1 the second player won, 0 draw."""


def _result(state: JudgedPosition) -> str:
    return RUNNING if state.result is None else _ENDS[state.result]


PUBLISHED: dict[str, Callable[[JudgedPosition], str]] = {
    GAMEOVER: lambda state: _TRUTH[state.result is not None],
    P1TURN: lambda state: _TRUTH[state.side_to_move == 0],
    RESULT: _result,
}
"""The queries that every engine of the published protocol answers, and their answers by the rules."""
