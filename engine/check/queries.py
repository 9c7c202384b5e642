"""The published questions of UGI about a position: against the rules of a known game, and in a game that is unknown."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from fiedler.engine.check import positions
from fiedler.engine.check.failure import SkippedError, StepError
from fiedler.engine.check.peer import Peer
from fiedler.engine.check.sessions import Sessions
from fiedler.protocol import RESIGN, Limit
from fiedler.protocol.mistake import quoted_line
from fiedler.protocol.ugi.queries import CAPABILITIES, ENDS, GAMEOVER, LEGAL_MOVES, P1TURN, PUBLISHED, RESULT, TRUTH
from fiedler.support.text import counted

MOST_PLIES = 500
"""The length of a game of an engine against itself; a longer one is not followed to its end."""
MOVETIME_MS = 20


def answers_by_the_rules(sessions: Sessions) -> str:
    """Ask about four positions of a random game, its start and its end among them; compare with the rules."""
    game, peer = sessions.subject.game, sessions.peer()
    moves = positions.random_game(game, 1)
    peer.new_game()
    if peer.ask(GAMEOVER, []) is None:
        raise SkippedError('it answers no queries, which only game = "generic" needs')
    for plies in (0, 1, len(moves) // 2, len(moves)):
        position = game.position(moves=moves[:plies])
        for question, answer_of in PUBLISHED.items():
            if position.result is not None and question == P1TURN:
                continue  # it means nothing
            _ask(peer, question, moves[:plies], [answer_of(position)])
    return f"as the rules at four positions of a game of {counted(len(moves), 'ply')}"


def plays_a_game(sessions: Sessions) -> str:
    """Let the engine play a game against itself whose end, sides and result it reports."""
    peer, moves = sessions.peer(), list[str]()
    peer.new_game()
    lists = LEGAL_MOVES in (peer.ask(CAPABILITIES, []) or "").split()
    while _ask(peer, GAMEOVER, moves, TRUTH) == "false":
        _ask(peer, P1TURN, moves, TRUTH)
        legal = (peer.ask(LEGAL_MOVES, moves) or "").split() if lists else []
        move = peer.move(moves, Limit(movetime_ms=MOVETIME_MS))
        if lists and move not in (*legal, RESIGN):
            raise StepError(
                f"{quoted_line(move)} {_after(moves)}", f"one of its own {counted(len(legal), 'legal move')}"
            )
        moves.append(move)
        if move == RESIGN or len(moves) == MOST_PLIES:
            return f"{counted(len(moves), 'ply')} without an end"
    result = _ask(peer, RESULT, moves, ENDS)
    return f"a game of {counted(len(moves), 'ply')}: {result}{'' if lists else '; it lists no legal moves'}"


def _ask(peer: Peer, question: str, moves: Sequence[str], expected: Collection[str]) -> str:
    """Return the answer to a question, one of those expected."""
    answer = peer.ask(question, moves)
    if answer in expected:
        assert answer is not None
        return answer
    got = "no response" if answer is None else quoted_line(f"response {answer}")
    wanted = " or ".join(f"response {word}" for word in expected)
    raise StepError(f"{got} to query {question} {_after(moves)}{peer.wrong}", wanted)


def _after(moves: Sequence[str]) -> str:
    return f"after {counted(len(moves), 'move')}" if moves else "at the start"
