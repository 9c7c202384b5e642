"""The moves of the engine in all phases of random games."""

from __future__ import annotations

import random
import time
from concurrent.futures import ThreadPoolExecutor

from fiedler.engine.check import positions
from fiedler.engine.check.failure import StepError
from fiedler.engine.check.peer import Peer
from fiedler.engine.check.sessions import Sessions
from fiedler.protocol import RESIGN, Limit
from fiedler.support.text import counted

GAMES = 10
GAME_SECONDS = 1.0
"""The time of one game: it ends after the reply that exceeds it."""
TOGETHER_SECONDS = 12.0
"""The time of all games where each needs a session of its own, and begins at its start."""
TOGETHER = 5
"""Games at a time there."""
MOVETIME_MS = {"ugi": 20, "uci": 20, "gtp": 1000, "gomocup": 100}
"""The time of a move, where a dialect can express it; GTP has whole seconds."""


def legal_replies(sessions: Sessions) -> str:
    """Play ten random games, each side in five of them; return their figures."""
    openings = sessions.subject.dialect.openings
    count = _one_by_one(sessions) if openings else _together(sessions)
    return f"{counted(count, 'legal reply')} in {GAMES} games"


def _one_by_one(sessions: Sessions) -> int:
    """Play the games in one session; game k begins after k tenths of a random game."""
    replies = 0
    for number in range(GAMES):
        moves = positions.opening(sessions.subject.game, number)
        replies += _play(sessions.peer(), sessions, number, moves, time.monotonic() + GAME_SECONDS)
    return replies


def _together(sessions: Sessions) -> int:
    """Play games from their start, several at a time, each in a session of its own."""

    def game(number: int) -> int:
        peer = sessions.open()
        try:
            return _play(peer, sessions, number, [], time.monotonic() + TOGETHER_SECONDS * TOGETHER / GAMES)
        finally:
            peer.close()

    with ThreadPoolExecutor(TOGETHER) as pool:
        return sum(pool.map(game, range(GAMES)))


def _play(peer: Peer, sessions: Sessions, number: int, moves: list[str], until: float) -> int:
    """Play on after `moves` against random moves; return the number of replies."""
    subject, rng = sessions.subject, random.Random(number)
    limit = Limit(movetime_ms=MOVETIME_MS.get(subject.dialect_name))
    position, replies = subject.game.position(moves=moves), 0
    peer.new_game()
    while position.result is None and (not replies or time.monotonic() < until):
        if position.side_to_move == number % 2:
            move = peer.move(moves, limit)
            replies += 1
            if move == RESIGN:
                break
        else:
            move = rng.choice(positions.legal(position))
        position.play(position.parse_move(move))
        moves.append(move)
    peer.ping()
    if second := peer.client.mistake.take_stray():
        raise StepError(f"a second answer, {second!r}", "one answer to each request")
    return replies
