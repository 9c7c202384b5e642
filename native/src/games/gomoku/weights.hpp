// The values of patterns on an empty cell, for the evaluation and for the order of moves.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "games/gomoku/patterns.hpp"

namespace fiedler {

// The patterns of the four directions of one cell, best first.
using CellPatterns = std::array<Pattern, 4>;

// Tenths of centipawns for the side to move: one number for the best two patterns of a cell together, in the order of a
// lower triangle (place best * (best + 1) / 2 + second), and one for each of the other two.
struct PatternValues {
    std::array<std::int16_t, 136> pairs;
    std::array<std::int16_t, 16> rest;

    std::int16_t operator()(const CellPatterns& best_first) const {
        const auto best = static_cast<std::size_t>(best_first[0]), second = static_cast<std::size_t>(best_first[1]);
        const int sum = pairs[best * (best + 1) / 2 + second] + rest[static_cast<std::size_t>(best_first[2])] +
                        rest[static_cast<std::size_t>(best_first[3])];
        return static_cast<std::int16_t>(sum);
    }
};

// For cells on which the side to move, or the side that waits, would make these patterns. The value of a board is the
// sum over its empty cells; its logistic function was fitted to the results of our own games, on positions without a
// five, a straight four or a win by fours at hand.
struct SideValues {
    PatternValues to_move, waiting;
};

inline constexpr SideValues pattern_values{
    {{{53,  22,  70,  21,    -13, -13, 97,  23,  2,   2,   99,  172, -7,  33,  47,  15,   -81, -37, 22,  45,
       15,  -8,  82,  -41,   19,  127, 86,  180, 48,  31,  75,  78,  141, 168, 228, 136,  87,  93,  95,  46,
       165, 181, 224, -1109, 222, -36, 116, 222, 258, 381, 341, 560, 515, 360, 821, -14,  105, 168, 261, 275,
       353, 345, 183, 338,   523, 190, 91,  -21, 418, 393, 690, 674, 929, 131, 910, 1742, 792, 0,   0,   0,
       0,   0,   0,   0,     0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,    0,   0,   0,   0,
       0,   0,   0,   0,     0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,    0,   0,   0,   0,
       0,   0,   0,   0,     0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0}},
     {{4, 2, -7, 47, 49, 38, 132, -110, 11, -869, -1103, 0, 0, 0, 0, 0}}},
    {{{-58,   -10,  -88,  -14,  24,   4,    -98,   -21,   5,     -14,   -104,  -151,  15,    -34,   -68,   11,    71,
       34,    -14,  -26,  0,    -47,  31,   11,    22,    -69,   -74,   -134,  -3,    53,    -34,   -98,   -164,  -144,
       -171,  -157, -96,  -123, -67,  -50,  -154,  -174,  -118,  99,    -215,  96,    -187,  -209,  -253,  -401,  -323,
       -504,  -624, -363, -775, -37,  258,  -159,  -199,  -195,  -298,  -296,  -368,  -194,  -465,  -215,  -82,   -256,
       -364,  -440, -791, -744, -934, -644, -1184, -2480, -2450, -1220, 0,     0,     0,     0,     0,     0,     0,
       0,     0,    0,    0,    0,    0,    -583,  -1004, -1225, -1553, -1795, -1870, -2213, -1361, -2127, -2537, -2387,
       -1088, 0,    -898, 0,    0,    0,    0,     0,     0,     0,     0,     0,     0,     0,     0,     0,     0,
       0,     0,    0,    0,    0,    0,    0,     0,     0,     0,     0,     0,     0,     0,     0,     0,     0}},
     {{-2, 0, 11, -47, -65, -60, -211, -5, -48, 719, -153, -285, 0, 0, 0, 0}}}};

// The merit of a stone for its side, 0 .. 255, for the order of moves; set by hand.
inline std::uint8_t gomoku_rank(const CellPatterns& p) {
    constexpr std::array<int, 16> value{0, 1, 2, 4, 8, 10, 12, 12, 16, 36, 42, 50, 150, 150, 255, 0};
    int sum = p[1] >= Pattern::three ? 40 : 0;
    for (const Pattern pattern : p) sum += value[static_cast<std::size_t>(pattern)];
    return static_cast<std::uint8_t>(std::min(sum, 255));
}

}  // namespace fiedler
