"""Connect 4 for thousands of games at once: bitboards in numpy arrays, laid out as in `native/src/games/connect4.hpp`.

Seven bits a column, the lowest cell first; the spare bit on top keeps lines from running into the next column.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from fiedler.native import Position

Bits = npt.NDArray[np.uint64]
Bools = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float32]
Moves = npt.NDArray[np.int64]

COLUMNS, ROWS = 7, 6
_U = np.uint64
_HEIGHT = ROWS + 1
BOTTOM = _U(sum(1 << _HEIGHT * column for column in range(COLUMNS)))
"""The lowest cell of every column."""
PLAYABLE = _U(int(BOTTOM) * (2**ROWS - 1))
"""All cells."""
_COLUMN = np.array([(2**ROWS - 1) << _HEIGHT * column for column in range(COLUMNS)], np.uint64)
_CELLS = np.array([_HEIGHT * column + row for row in reversed(range(ROWS)) for column in range(COLUMNS)], np.uint64)
"""The bits in the order of the planes: row by row from the top."""
_STEPS = (_U(1), _U(_HEIGHT - 1), _U(_HEIGHT), _U(_HEIGHT + 1))


@dataclass(frozen=True, slots=True)
class Bitboards:
    """Positions, one an entry."""

    own: Bits
    """Discs of the side to move."""
    mask: Bits
    """All discs."""

    @classmethod
    def empty(cls, count: int) -> Bitboards:
        """Return `count` empty boards."""
        return cls(np.zeros(count, np.uint64), np.zeros(count, np.uint64))

    @classmethod
    def of(cls, positions: Sequence[Position]) -> Bitboards:
        """Return the boards of native positions."""
        own, mask = np.zeros(len(positions), np.uint64), np.zeros(len(positions), np.uint64)
        for place, position in enumerate(positions):
            cells = np.frombuffer(position.cells, np.uint8)
            own[place] = np.bitwise_or.reduce(_U(1) << _CELLS[cells == position.side_to_move + 1])
            mask[place] = np.bitwise_or.reduce(_U(1) << _CELLS[cells > 0])
        return cls(own, mask)

    def __len__(self) -> int:
        return len(self.own)

    def __getitem__(self, chosen: Bools | Moves | slice) -> Bitboards:
        return Bitboards(self.own[chosen], self.mask[chosen])

    @property
    def other(self) -> Bits:
        """Discs of the side that moved last."""
        return self.own ^ self.mask

    @property
    def plies(self) -> Moves:
        """The number of discs."""
        return np.bitwise_count(self.mask).astype(np.int64)

    @property
    def landing(self) -> Bits:
        """The cells where a disc can land."""
        return (self.mask + BOTTOM) & PLAYABLE

    @property
    def full(self) -> Bools:
        """Whether there is no cell left."""
        return np.equal(self.mask, PLAYABLE)

    @property
    def lost(self) -> Bools:
        """Whether the side that moved last has four in a row."""
        return has_four(self.other)

    def legal(self) -> Bools:
        """Return the columns that are open, (n, 7)."""
        found: Bools = (self.landing[:, None] & _COLUMN) != 0
        return found

    def play(self, moves: Moves) -> Bitboards:
        """Return the boards after one legal move each."""
        return Bitboards(self.other, self.mask | (self.landing & _COLUMN[moves]))

    def planes(self) -> Floats:
        """Return the input of the network, (n, 2, 6, 7): own discs, discs of the other side."""
        both = np.stack((self.own, self.other), axis=1)
        cells: Floats = (both[:, :, None] >> _CELLS & _U(1)).astype(np.float32)
        return cells.reshape(-1, 2, ROWS, COLUMNS)

    def known(self) -> Floats:
        """Return the values of the moves that the rules decide at once, (n, 7); NaN elsewhere.

        1: the move wins. −1: the opponent can win at once after it. 0: it fills the board without a four.
        """
        cells = self.landing[:, None] & _COLUMN
        wins = cells & completing(self.own, self.mask)[:, None]
        after = (self.landing[:, None] ^ cells) | (cells << _U(1)) & PLAYABLE
        loses = after & completing(self.other, self.mask)[:, None]
        last = (self.mask[:, None] | cells) == PLAYABLE
        values = np.full(cells.shape, np.nan, np.float32)
        values[last] = 0
        values[loses != 0] = -1
        values[wins != 0] = 1
        values[cells == 0] = np.nan
        return values


def has_four(discs: Bits) -> Bools:
    """Return whether there are four in a row."""
    found = np.zeros(discs.shape, np.bool_)
    for step in _STEPS:
        pairs = discs & (discs >> step)
        found |= (pairs & (pairs >> (_U(2) * step))) != 0
    return found


def completing(discs: Bits, mask: Bits) -> Bits:
    """Return the empty cells that complete four of these discs, reachable or not."""
    found = (discs << _U(1)) & (discs << _U(2)) & (discs << _U(3))
    for step in _STEPS[1:]:
        up, down = (discs << step) & (discs << _U(2) * step), (discs >> step) & (discs >> _U(2) * step)
        found |= up & ((discs << _U(3) * step) | (discs >> step))
        found |= down & ((discs >> _U(3) * step) | (discs << step))
    cells: Bits = found & PLAYABLE & ~mask
    return cells
