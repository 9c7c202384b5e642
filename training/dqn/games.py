"""Games of the network side by side, against itself, older networks, osp and random."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from fiedler.training.dqn.boards import Bitboards, Bools, Moves

Random = np.random.Generator
Chooser = Callable[[Bitboards, Random], Moves]
"""Chooses a legal move on each of the boards."""


def random_moves(boards: Bitboards, random: Random) -> Moves:
    """Return any legal move on each board, all equally likely."""
    return _any_of(boards.legal(), random)


def osp_moves(boards: Bitboards, random: Random) -> Moves:
    """Return the moves of osp: a win, else a random one that leaves no immediate win, else a random one."""
    known, legal = boards.known(), boards.legal()
    wins, safe = known == 1, legal & ~(known == -1)
    return _any_of(np.where(_any(wins), wins, np.where(_any(safe), safe, legal)), random)


def explore(moves: Moves, boards: Bitboards, epsilon: float, random: Random) -> Moves:
    """Return the moves, the share `epsilon` of them replaced by random ones."""
    explores = random.random(len(boards)) < epsilon
    return np.where(explores, random_moves(boards, random), moves)


def _any(wanted: Bools) -> Bools:
    found: Bools = np.any(wanted, axis=1, keepdims=True)
    return found


def _any_of(wanted: Bools, random: Random) -> Moves:
    chosen: Moves = np.where(wanted, random.random(wanted.shape), -1).argmax(1)
    return chosen


def opened(count: int, share: float, plies: int, random: Random) -> Bitboards:
    """Return the first positions of games: random openings, which end before a ply that would end the game."""
    boards = Bitboards.empty(count)
    wanted = np.where(random.random(count) < share, random.integers(0, plies + 1, count), 0)
    for ply in range(plies):
        after = boards.play(random_moves(boards, random))
        wanted[after.lost | after.full] = 0
        longer = wanted > ply
        boards = Bitboards(np.where(longer, after.own, boards.own), np.where(longer, after.mask, boards.mask))
    return boards


@dataclass(frozen=True, slots=True)
class Seating:
    """The two players of each game: the learner, with the place 0, and others."""

    best: Callable[[Bitboards], Moves]
    """The moves of the learner's network."""
    epsilon: float
    """The share of random moves of the learner."""
    others: Sequence[Chooser]
    """The players with the places 1, 2, …"""
    seats: Moves
    """The places of the first and of the second player of each game, (n, 2)."""

    def moves(self, games: Moves, boards: Bitboards, random: Random) -> tuple[Moves, Moves]:
        """Return the moves in these games, and those of the learner's network on all of the boards."""
        best = self.best(boards)
        moves = explore(best, boards, self.epsilon, random)
        to_move = self.seats[games, boards.plies & 1]
        for place, choose in enumerate(self.others, 1):
            if (theirs := to_move == place).any():
                moves[theirs] = choose(boards[theirs], random)
        return moves, best


@dataclass(frozen=True, slots=True)
class Ends:
    """The ends of games."""

    results: Moves
    """1, 0 or −1 for the first player."""
    lengths: Moves
    """Plies, those of the openings counted."""


OnPly = Callable[[Moves, Bitboards, Moves, Bools], None]
"""Receives the games that are running, their boards, the moves on them, and whether those are the learner's best."""


def play(starts: Bitboards, seating: Seating, random: Random, on_ply: OnPly = lambda *_: None) -> Ends:
    """Play the games to their ends, one ply of each at a time."""
    results, lengths = np.zeros(len(starts), np.int64), np.zeros(len(starts), np.int64)
    games, boards = np.arange(len(starts)), starts
    while len(games):
        moves, best = seating.moves(games, boards, random)
        on_ply(games, boards, moves, moves == best)
        boards = boards.play(moves)
        lost = boards.lost
        over = lost | boards.full
        results[games[lost]] = 2 * (boards.plies[lost] & 1) - 1
        lengths[games[over]] = boards.plies[over]
        games, boards = games[~over], boards[~over]
    return Ends(results, lengths)
