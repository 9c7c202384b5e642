// The parts of a position of ultimate tic-tac-toe, shared by the rules, the rollouts and the evaluation.
#pragma once

#include <bit>

#include "core/board3.hpp"

namespace fiedler::uttt {

inline constexpr std::uint8_t any_board = 9;

// Boards and cells are both numbered row by row from the top left. A board is closed once it is won or full.
struct State {
    std::array<std::array<board3::Mask, 9>, 2> stones{};  // of each player, on each local board
    std::array<board3::Mask, 2> won{};                    // boards won by each player
    board3::Mask closed = 0;                              // boards won or full
    std::uint8_t target = any_board;                      // the board on which the side to move must play
    std::uint8_t side = 0;

    unsigned open() const { return board3::full & ~unsigned{closed}; }
    unsigned empty(unsigned board) const { return board3::full & ~unsigned(stones[0][board] | stones[1][board]); }
    bool operator==(const State&) const = default;
};

// A mask of cells as a number of base 3.
inline constexpr auto ternary = [] {
    std::array<std::uint16_t, 512> table{};
    for (unsigned mask = 0; mask < 512; ++mask)
        for (unsigned cell = 0, power = 1; cell < 9; ++cell, power *= 3)
            if (mask >> cell & 1) table[mask] = static_cast<std::uint16_t>(table[mask] + power);
    return table;
}();
inline constexpr unsigned ternary_states = 19683;  // 3^9

inline unsigned first(unsigned mask) {
    return static_cast<unsigned>(std::countr_zero(mask));
}

}  // namespace fiedler::uttt
