// The 3x3 board: masks of nine cells, bit 0 top left, row by row. Tic-tac-toe is one such board, ultimate tic-tac-toe
// is ten of them.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <utility>

#include "core/bits.hpp"

namespace fiedler::board3 {

using Mask = std::uint16_t;
inline constexpr Mask full = 0x1ff;
inline constexpr std::array<Mask, 8> lines{0007, 0070, 0700, 0111, 0222, 0444, 0421, 0124};

inline constexpr auto has_line = [] {
    std::array<bool, 512> table{};
    for (unsigned mask = 0; mask < 512; ++mask)
        for (Mask line : lines) table[mask] = table[mask] || (mask & line) == line;
    return table;
}();

// completing[mask]: the cells that would complete a line of `mask`; the caller removes the occupied ones.
inline constexpr auto completing = [] {
    std::array<Mask, 512> table{};
    for (unsigned mask = 0; mask < 512; ++mask)
        for (Mask line : lines)
            if (std::popcount(mask & line) == 2) table[mask] |= static_cast<Mask>(line & ~mask);
    return table;
}();

// The common cells of all lines of `mask`, every cell if it has none: the last stone of a finished board is on one of
// them.
constexpr Mask meeting(Mask mask) {
    Mask cells = full;
    for (Mask line : lines)
        if ((mask & line) == line) cells &= line;
    return cells;
}

// The eight symmetries of the square: symmetry[s][cell] is where the cell goes. Bit 0 mirrors the columns, bit 1 the
// rows, bit 2 swaps rows and columns afterwards.
inline constexpr auto symmetry = [] {
    std::array<std::array<std::uint8_t, 9>, 8> table{};
    for (unsigned s = 0; s < 8; ++s)
        for (unsigned cell = 0; cell < 9; ++cell) {
            unsigned row = cell / 3, column = cell % 3;
            if (s & 1) column = 2 - column;
            if (s & 2) row = 2 - row;
            if (s & 4) std::swap(row, column);
            table[s][cell] = static_cast<std::uint8_t>(3 * row + column);
        }
    return table;
}();

inline constexpr auto transformed_mask = [] {
    std::array<std::array<Mask, 512>, 8> table{};
    for (unsigned s = 0; s < 8; ++s)
        for (unsigned mask = 0; mask < 512; ++mask)
            for (unsigned cell = 0; cell < 9; ++cell)
                if (mask >> cell & 1) table[s][mask] |= static_cast<Mask>(1u << symmetry[s][cell]);
    return table;
}();

// Over the lines through `cell` that `other` has no stone on: the sum of 4^(stones of `own` on the line).
inline int line_sum(Mask own, Mask other, unsigned cell) {
    int sum = 0;
    for (Mask line : lines)
        if ((line >> cell & 1) && !(line & other)) sum += 1 << 2 * bits::count[line & own];
    return sum;
}

}  // namespace fiedler::board3
