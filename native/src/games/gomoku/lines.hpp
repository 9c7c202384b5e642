// The lines of a square board as words, and patterns found on the four lines through a cell at once.
#pragma once

#include <array>
#include <cstdint>
#include <type_traits>

#include "core/concept.hpp"

namespace fiedler::lines {

inline constexpr int directions = 4;

// The step along each direction, in rows and columns from the top left.
inline constexpr std::array<int, directions> row_step{0, 1, 1, -1}, column_step{1, 0, 1, 1};

// The words of a board of size x size cells, one for each line, a stone of one colour a bit:
//
//     rows       0 .. size - 1                from the top        bit = column
//     columns    size .. 2 size - 1           from the left       bit = row
//     diagonals  2 size .. 4 size - 2         row - column        bit = column
//     others     4 size - 1 .. 6 size - 3     row + column        bit = column
//
// Bit 15 of a word of 16 bits is never set, so that words side by side in one register do not run into each other.
template <int size>
inline constexpr int count = 6 * size - 2;
template <int size>
inline constexpr bool fits_16_bits = size < 16;
template <int size>
using Word = std::conditional_t<fits_16_bits<size>, std::uint16_t, std::uint32_t>;
template <int size>
using Words = std::array<Word<size>, count<size>>;

// The place of a cell: in each direction the number of its line and its bit there.
struct Place {
    std::array<std::uint8_t, directions> line, bit;
};

template <int size>
inline constexpr auto places = [] {
    std::array<Place, size * size> table{};
    for (int row = 0; row < size; ++row)
        for (int column = 0; column < size; ++column) {
            const auto byte = [](int number) { return static_cast<std::uint8_t>(number); };
            Place& place = table[static_cast<std::size_t>(size * row + column)];
            place.line = {byte(row), byte(size + column), byte(3 * size - 1 + row - column),
                          byte(4 * size - 1 + row + column)};
            place.bit = {byte(column), byte(row), byte(column), byte(column)};
        }
    return table;
}();

// The cells of each line.
template <int size>
inline constexpr auto cells = [] {
    Words<size> table{};
    for (const Place& place : places<size>)
        for (std::size_t d = 0; d < directions; ++d)
            table[place.line[d]] = static_cast<Word<size>>(table[place.line[d]] | 1u << place.bit[d]);
    return table;
}();

// Four words of 16 bits, one for each direction, in one of 64. A mask of starts has a bit where a pattern begins.
using Packed = std::uint64_t;

constexpr Packed in_each(unsigned word) {
    return word * 0x0001000100010001ULL;
}

// Where five stones in a row start.
inline Packed fives(Packed stones) {
    const Packed pairs = stones & stones >> 1;
    return pairs & pairs >> 2 & stones >> 4;
}
// Where five that are not part of six or more start.
inline Packed exact_fives(Packed stones) {
    const Packed starts = fives(stones);
    return starts & ~(starts >> 1) & ~(starts << 1);
}

// Windows of 11 bits of a line, with one of its cells in the middle.
inline constexpr unsigned middle = 5, window_bits = 0x7ff;
inline unsigned window(unsigned line, unsigned bit) {
    return line << middle >> bit & window_bits;
}

// A player's stones on the four lines through a cell: the whole lines, or their windows where those are too long.
template <int size>
Packed through(const Words<size>& stones, Move move) {
    const Place& place = places<size>[move];
    Packed word = 0;
    for (std::size_t d = 0; d < directions; ++d) {
        const unsigned line = stones[place.line[d]];
        word |= Packed{fits_16_bits<size> ? line : window(line, place.bit[d])} << 16 * d;
    }
    return word;
}

// The surroundings of an empty cell with a player's stone put on it: his stones and the empty cells on its four lines,
// in windows. Starts are bits of the windows.
struct Sight {
    Packed stones, empty;
};

template <int size>
Sight look(const Words<size>& own, const Words<size>& other, Move move) {
    const Place& place = places<size>[move];
    Sight sight{in_each(1u << middle), 0};
    for (std::size_t d = 0; d < directions; ++d) {
        const std::size_t line = place.line[d];
        const unsigned bit = place.bit[d], stones = own[line], taken = stones | other[line] | 1u << bit;
        sight.stones |= Packed{window(stones, bit)} << 16 * d;
        sight.empty |= Packed{window(cells<size>[line] & ~taken, bit)} << 16 * d;
    }
    return sight;
}

// Where five cells through the middle start of which four have stones and the last is empty. `exactly`: with no stone
// at either end, so that one more makes exactly five.
template <bool exactly>
Packed fours(const Sight& sight) {
    const Packed stones = sight.stones, empty = sight.empty;
    const Packed b1 = stones >> 1, b3 = stones >> 3, b4 = stones >> 4;
    const Packed first = stones & b1, third = stones >> 2, last = b3 & b4;
    const Packed outer =
        (last & ((empty & b1) | (stones & empty >> 1))) | (first & ((empty >> 3 & b4) | (b3 & empty >> 4)));
    Packed four = (outer & third) | (first & last & empty >> 2);
    if (exactly) four &= ~(stones << 1) & ~(stones >> 5);
    return four & in_each(0x3e);
}

// Where six cells start, the outer two empty, of which the inner four have the middle, two more stones and an empty
// cell: one more stone makes a straight four, whose both ends make five. `exactly`: exactly five.
template <bool exactly>
Packed threes(const Sight& sight) {
    const Packed stones = sight.stones, empty = sight.empty;
    const Packed b1 = stones >> 1, b2 = stones >> 2, b3 = stones >> 3, b4 = stones >> 4;
    Packed three =
        (b3 & b4 & ((empty >> 1 & b2) | (b1 & empty >> 2))) | (b1 & b2 & ((empty >> 3 & b4) | (b3 & empty >> 4)));
    if (exactly) three &= ~(stones << 1) & ~(stones >> 6);
    return three & empty & empty >> 5 & in_each(0x1e);
}

// The cell at a number of steps from another along a direction.
template <int size>
Move along(Move from, std::size_t direction, int steps) {
    return static_cast<Move>(from + steps * (size * row_step[direction] + column_step[direction]));
}

}  // namespace fiedler::lines
