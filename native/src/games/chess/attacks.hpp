// The squares that pieces of chess attack.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace fiedler::chess {

// A square is 8 * rank + file, and a bit of a mask:
//
//     56 57 58 59 60 61 62 63      a8 .. h8
//     48 49 50 51 52 53 54 55
//     ..                           ..
//      0  1  2  3  4  5  6  7      a1 .. h1
using Square = unsigned;
using Mask = std::uint64_t;
inline constexpr Square no_square = 64;
inline constexpr Mask first_rank = 0xff, first_file = 0x0101010101010101;

constexpr Mask bit(Square square) {
    return Mask{1} << square;
}
constexpr Square first(Mask mask) {
    return static_cast<Square>(std::countr_zero(mask));
}
constexpr bool several(Mask mask) {
    return mask & (mask - 1);
}
constexpr Square file_of(Square square) {
    return square & 7;
}
constexpr Square rank_of(Square square) {
    return square >> 3;
}
constexpr Mask rank_mask(Square rank) {
    return first_rank << 8 * rank;
}

// The square a step away from another one; no_square off the board.
constexpr Square stepped(Square square, int files, int ranks) {
    const int file = static_cast<int>(file_of(square)) + files, rank = static_cast<int>(rank_of(square)) + ranks;
    const bool on_board = file >= 0 && file < 8 && rank >= 0 && rank < 8;
    return on_board ? static_cast<Square>(8 * rank + file) : no_square;
}

struct Step {
    int files, ranks;
};
using Masks = std::array<Mask, 64>;

// Of each square the squares that are one of these steps away.
template <std::size_t n>
constexpr Masks leaps(const std::array<Step, n>& steps) {
    Masks table{};
    for (Square square = 0; square < 64; ++square)
        for (const Step step : steps)
            if (const Square to = stepped(square, step.files, step.ranks); to != no_square) table[square] |= bit(to);
    return table;
}

// Of each square the others on the line through it that has this step.
constexpr Masks lines(Step step) {
    Masks table{};
    for (Square square = 0; square < 64; ++square)
        for (const int way : {1, -1})
            for (Square to = square; (to = stepped(to, way * step.files, way * step.ranks)) != no_square;)
                table[square] |= bit(to);
    return table;
}

inline constexpr std::array<Step, 8> knight_steps{
    {{1, 2}, {2, 1}, {2, -1}, {1, -2}, {-1, -2}, {-2, -1}, {-2, 1}, {-1, 2}}};
inline constexpr std::array<Step, 8> king_steps{{{0, 1}, {1, 1}, {1, 0}, {1, -1}, {0, -1}, {-1, -1}, {-1, 0}, {-1, 1}}};
inline constexpr Masks knight_attacks = leaps(knight_steps), king_attacks = leaps(king_steps);
inline constexpr std::array<Masks, 2> pawn_attacks{leaps(std::array<Step, 2>{{{-1, 1}, {1, 1}}}),
                                                   leaps(std::array<Step, 2>{{{-1, -1}, {1, -1}}})};
inline constexpr Masks on_file = lines({0, 1}), on_diagonal = lines({1, 1}), on_antidiagonal = lines({1, -1});

// The attacks in both directions of a line that is no rank, by subtraction: hyperbola quintessence, of Gerd Isenberg
// and Aleks Peshkov. The borrow of a subtraction ends at the first piece; byte order reversed, the other direction is
// the same.
constexpr Mask attacks_on(Mask line, Square square, Mask occupied) {
    const Mask ahead = occupied & line, back = __builtin_bswap64(ahead), here = bit(square);
    return ((ahead - here) ^ __builtin_bswap64(back - __builtin_bswap64(here))) & line;
}

// By the file of a rook and the six inner squares of its rank.
inline constexpr auto rank_attacks = [] {
    std::array<std::array<std::uint8_t, 64>, 8> table{};
    for (unsigned file = 0; file < 8; ++file)
        for (unsigned inner = 0; inner < 64; ++inner)
            for (const int way : {1, -1})
                for (int to = static_cast<int>(file) + way; to >= 0 && to < 8; to += way) {
                    table[file][inner] = static_cast<std::uint8_t>(table[file][inner] | 1u << to);
                    if (inner << 1 >> to & 1) break;
                }
    return table;
}();

constexpr Mask bishop_attacks(Square square, Mask occupied) {
    return attacks_on(on_diagonal[square], square, occupied) | attacks_on(on_antidiagonal[square], square, occupied);
}
constexpr Mask rook_attacks(Square square, Mask occupied) {
    const Square shift = square & 56;
    const Mask along = Mask{rank_attacks[file_of(square)][occupied >> (shift + 1) & 63]} << shift;
    return along | attacks_on(on_file[square], square, occupied);
}

// Of two squares on one line of a queen: the whole line, and the squares between them; else nothing.
struct Lines {
    std::array<Masks, 64> through{}, between{};
};
inline constexpr Lines queen_lines = [] {
    Lines tables;
    for (Square from = 0; from < 64; ++from)
        for (const Step step : king_steps) {
            Mask line = bit(from), passed = 0;
            for (const int way : {1, -1})
                for (Square to = from; (to = stepped(to, way * step.files, way * step.ranks)) != no_square;)
                    line |= bit(to);
            for (Square to = from; (to = stepped(to, step.files, step.ranks)) != no_square;) {
                tables.through[from][to] = line;
                tables.between[from][to] = passed;
                passed |= bit(to);
            }
        }
    return tables;
}();

}  // namespace fiedler::chess
