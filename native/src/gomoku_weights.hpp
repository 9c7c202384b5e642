// What patterns are worth on an empty cell, in the evaluation and for the order of moves.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "gomoku_patterns.hpp"

namespace fiedler {

// The patterns of the four directions of one cell, best first.
using CellPatterns = std::array<Pattern, 4>;

inline std::int16_t gomoku_value_to_move(const CellPatterns& p) {
    constexpr std::array<int, 16> value{0, 1, 2, 4, 8, 10, 12, 12, 16, 30, 36, 36, 0, 80, 0, 0};
    int v = 0;
    for (Pattern x : p) v += value[static_cast<std::size_t>(x)];
    if (p[0] >= Pattern::three && p[1] >= Pattern::three) v += 60;
    return static_cast<std::int16_t>(v);
}
inline std::int16_t gomoku_value_waiting(const CellPatterns& p) {
    return static_cast<std::int16_t>(-gomoku_value_to_move(p) * 2 / 3);
}
inline std::uint8_t gomoku_rank(const CellPatterns& p) {
    constexpr std::array<int, 16> value{0, 1, 2, 4, 8, 10, 12, 12, 16, 36, 42, 50, 150, 150, 255, 0};
    int v = 0;
    for (Pattern x : p) v += value[static_cast<std::size_t>(x)];
    if (p[0] >= Pattern::three && p[1] >= Pattern::three) v += 40;
    return static_cast<std::uint8_t>(std::min(v, 255));
}

}  // namespace fiedler
