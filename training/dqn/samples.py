"""Positions for learning: the moves of many games, linked to the positions after them, and the memory of the newest."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from fiedler.training.dqn.boards import Bitboards, Bits, Bools, Moves

SAMPLE = np.dtype(
    [("own", "<u8"), ("mask", "<u8"), ("end_own", "<u8"), ("end_mask", "<u8"), ("move", "u1"), ("sign", "i1")]
)
"""A position, its move, and the end of its return: a later position, whose value counts with `sign` (1: the same side
is to move there, −1: the other), or with `sign` 0 the result in `end_own`: 0 loss, 1 draw, 2 win."""
Samples = npt.NDArray[np.void]


class Record:
    """The plies of games that are played side by side."""

    def __init__(self) -> None:
        self._parts: list[tuple[Moves, Bitboards, Moves, Bools]] = []

    def add(self, games: Moves, boards: Bitboards, moves: Moves, chosen: Bools) -> None:
        """Add a ply of these games; `chosen`: the move is the network's choice."""
        self._parts.append((games, boards, moves, chosen))

    def samples(self, results: Moves, plies: int) -> Samples:
        """Return a sample for each ply; `results` are those of the games, for the first player.

        The return of a move ends `plies` later, before that if the network did not choose the next move, or with the
        game.
        """
        games, own, mask, moves, chosen = self._sorted()
        count = len(games)
        last = np.append(games[1:] != games[:-1], True)
        end, ended = np.arange(count), np.zeros(count, np.bool_)
        longer = np.ones(count, np.bool_)
        for _ in range(plies):
            ended |= longer & last[end]
            longer &= ~ended
            end[longer] += 1
            longer &= chosen[end]
        samples = np.zeros(count, SAMPLE)
        samples["own"], samples["mask"], samples["move"] = own, mask, moves
        samples["end_own"], samples["end_mask"] = own[end], mask[end]
        samples["sign"] = 1 - 2 * ((end - np.arange(count)) & 1)
        first = 1 - 2 * (np.bitwise_count(mask).astype(np.int64) & 1)
        samples["end_own"][ended] = (1 + results[games] * first)[ended]
        samples["end_mask"][ended] = samples["sign"][ended] = 0
        return samples

    def _sorted(self) -> tuple[Moves, Bits, Bits, Moves, Bools]:
        games = np.concatenate([part[0] for part in self._parts])
        order = np.argsort(games, kind="stable")
        own = np.concatenate([part[1].own for part in self._parts])
        mask = np.concatenate([part[1].mask for part in self._parts])
        moves = np.concatenate([part[2] for part in self._parts])
        chosen = np.concatenate([part[3] for part in self._parts])
        return games[order], own[order], mask[order], moves[order], chosen[order]


class SampleMemory:
    """The newest samples."""

    def __init__(self, capacity: int) -> None:
        self._capacity = capacity
        self.samples: Samples = np.zeros(0, SAMPLE)

    def add(self, new: Samples) -> None:
        """Add samples; the oldest leave."""
        self.samples = np.concatenate([self.samples, new])[-self._capacity :]

    def dump(self) -> bytes:
        """Return the samples as bytes; see Memory."""
        return self.samples.tobytes()

    def load(self, dumped: bytes) -> None:
        """Restore a dump.

        Raises:
            ValueError: The dump is damaged or too large.
        """
        if len(dumped) % SAMPLE.itemsize:
            raise ValueError(f"samples: expected a multiple of {SAMPLE.itemsize} bytes, got {len(dumped)}")
        if len(dumped) > self._capacity * SAMPLE.itemsize:
            raise ValueError(f"samples: expected at most {self._capacity}, got {len(dumped) // SAMPLE.itemsize}")
        self.samples = np.frombuffer(dumped, SAMPLE).copy()
