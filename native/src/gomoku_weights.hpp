// What patterns are worth on an empty cell, in the evaluation and for the order of moves.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "gomoku_patterns.hpp"

namespace fiedler {

// The patterns of the four directions of one cell, best first.
using CellPatterns = std::array<Pattern, 4>;

// Tenths of centipawns for the owner's opponent or itself: one number for the best two patterns of a cell together, in
// the order of a lower triangle (place = best * (best + 1) / 2 + second), and one for each of the other two.
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

// If the owner is to move, and if it is not. Fitted to the results of our own games (benchmarks/README.md): the value
// of a board is the sum over its empty cells, and the expected score its logistic function.
struct SideValues {
    PatternValues to_move, waiting;
};

inline constexpr SideValues any_values{
    {{{60,  47,  98,  27,  -31, -13, 131, 59,  2,   25,  -34, 177,  -7,  -5,  -1,   146,  168,  -15, 31,  105,
       68,  8,   -16, -68, -17, 63,  97,  105, 0,   0,   0,   0,    0,   0,   0,    0,    102,  74,  97,  55,
       194, 221, 219, 0,   276, 213, 399, 229, 282, 457, 393, 549,  0,   417, 1005, -63,  70,   116, 279, 215,
       310, 305, 0,   352, 650, 213, 63,  89,  455, 601, 831, 1063, 954, 0,   821,  1439, 1087, 0,   0,   0,
       0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,    0,   0,   0,    0,    0,    0,   0,   0,
       0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,    0,   0,   0,    0,    0,    0,   0,   0,
       0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,   0,    0,   0,   0,    0}},
     {{5, 1, -9, 38, 44, 46, 118, 0, 57, -1280, -223, 0, 0, 0, 0, 0}}},
    {{{-63,   -45,  -150,  -23,   31,   7,   -122,  -83,   7,     -32,   24,    -117,  15,    -8,   -20,   -129,  -102,
       9,     -13,  -98,   -47,   8,    178, 37,    57,    -9,    -102,  -54,   0,     0,     0,    0,     0,     0,
       0,     0,    -113,  -115,  -51,  -65, -174,  -209,  -100,  0,     -285,  -84,   -374,  -209, -250,  -423,  -351,
       -447,  0,    -411,  -770,  91,   380, -132,  -228,  -160,  -265,  -248,  0,     -230,  -436, -198,  -43,   -235,
       -413,  -647, -960,  -1010, -954, 0,   -1179, -2667, -2800, -1714, 0,     0,     0,     0,    0,     0,     0,
       0,     0,    0,     0,     0,    0,   -282,  -1204, -1290, -1804, -1951, -1990, -2498, 0,    -2082, -2606, -2916,
       -1331, 0,    -2407, 0,     0,    0,   0,     0,     0,     0,     0,     0,     0,     0,    0,     0,     0,
       0,     0,    0,     0,     0,    0,   0,     0,     0,     0,     0,     0,     0,     0,    0,     0,     0}},
     {{-4, 2, 13, -25, -45, -56, -208, 0, -157, 743, -63, -263, 0, 0, 0, 0}}}};

inline std::uint8_t gomoku_rank(const CellPatterns& p) {
    constexpr std::array<int, 16> value{0, 1, 2, 4, 8, 10, 12, 12, 16, 36, 42, 50, 150, 150, 255, 0};
    int v = 0;
    for (Pattern x : p) v += value[static_cast<std::size_t>(x)];
    if (p[0] >= Pattern::three && p[1] >= Pattern::three) v += 40;
    return static_cast<std::uint8_t>(std::min(v, 255));
}

}  // namespace fiedler
