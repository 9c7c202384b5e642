// Uniformly random play to the end, for five in a row without forbidden points.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

#include "core/random.hpp"
#include "games/gomoku/lines.hpp"

namespace fiedler::five {

// The set bits of half a row: places[mask] has the number of each, a byte each, the lowest first; counts[mask], how
// many.
inline constexpr auto places = [] {
    std::array<std::uint64_t, 256> table{};
    for (unsigned mask = 0; mask < 256; ++mask)
        for (unsigned bit = 0, byte = 0; bit < 8; ++bit)
            if (mask >> bit & 1) table[mask] |= std::uint64_t{bit} << 8 * byte++;
    return table;
}();
inline constexpr auto counts = [] {
    std::array<std::uint8_t, 256> table{};
    for (unsigned mask = 0; mask < 256; ++mask) table[mask] = static_cast<std::uint8_t>(std::popcount(mask));
    return table;
}();

template <class Word>
unsigned count(Word word) {
    unsigned total = 0;
    for (unsigned byte = 0; byte < sizeof word; ++byte) total += counts[word >> 8 * byte & 0xff];
    return total;
}

// The empty cells of a board, in ascending order; a cell is the place of its bit in the rows, 16 * row + column on a
// board of at most 15 columns.
template <int size>
struct EmptyCells {
    using Word = lines::Word<size>;
    using Cell = std::conditional_t<lines::fits_16_bits<size>, std::uint8_t, std::uint16_t>;
    static constexpr unsigned row_bits = 8 * sizeof(Word);

    // From the rows of stones of either player.
    EmptyCells(const Word* one, const Word* other) {
        unsigned listed = 0;
        for (unsigned row = 0; row < size; ++row) {
            const unsigned empty = ((1u << size) - 1) & ~(one[row] | other[row]);
            for (unsigned column = 0; column < size; column += 8) {
                const unsigned mask = empty >> column & 0xff;
                list(listed, mask, row_bits * row + column);
                listed += counts[mask];
            }
        }
        count = listed;
    }
    static Move move(unsigned cell) { return static_cast<Move>(size * (cell / row_bits) + cell % row_bits); }

    // Brings a random one of the first `among` to their end (a step of the shuffle of Fisher and Yates).
    unsigned draw(std::uint32_t bits, unsigned among) {
        const unsigned k = Random::scale(bits, among);
        const Cell cell = cells[k];
        cells[k] = cells[among - 1];
        return cells[among - 1] = cell;
    }

    std::array<Cell, size * size + 8> cells;  // eight are written at a time
    unsigned count;

  private:
    // Writes the cells of a mask of eight, the first of which is `first`.
    void list(unsigned listed, unsigned mask, unsigned first) {
        const std::uint64_t eight = places[mask];
        if constexpr (sizeof(Cell) == 1) {
            const std::uint64_t moved = eight + first * 0x0101010101010101ULL;
            std::memcpy(cells.data() + listed, &moved, sizeof moved);
        } else {
            for (unsigned k = 0; k < 8; ++k) cells[listed + k] = static_cast<Cell>(first + (eight >> 8 * k & 0xff));
        }
    }
};

// A board that fills up with random stones. Few moves end the game, so a block of moves is played before the
// whole board is tested for five at once, in loops over the rows that compile to vector instructions; a block with a
// five in it is searched for the move that made it.
//
// Empty cells are drawn by the shuffle of Fisher and Yates; the cells played follow them
// in the same array, the latest first. `exactly`: six or more do not win.
template <int size, bool exactly>
class Rollout {
  public:
    using Word = lines::Word<size>;

    // From the rows of stones of the side to move and of the other side; neither has won.
    Rollout(const Word* own, const Word* other) : cells_(own, other), empty_(cells_.count) {
        std::copy_n(own, size, side_rows(0));
        std::copy_n(other, size, side_rows(1));
    }

    // 1 when the side to move wins, -1 when it loses, 0 when the board fills up.
    int play(Random& random) {
        unsigned drawn = draw(first_block(), random);
        while (empty_) {
            const unsigned moves = drawn;
            put(moves);
            drawn = draw(block, random);  // before the test, which has to wait for the last stones to reach the memory
            if (quiet()) continue;
            if (!exactly || (!longer_ && !count_longer()))
                if (const int side = only_side_with_five()) return side;
            if (const int side = exactly ? replay(moves) : first_with_five(moves)) return side;
        }
        return 0;
    }

  private:
    enum Pattern { five_or_more, exact_five, six_or_more };
    static constexpr unsigned block = size < 12 ? 12 : 16;
    // Rows of two sides, with an empty one after the last.
    static constexpr int first_row = 1, side_lanes = (size + 8) / 8 * 8, lanes = 2 * side_lanes;

    Word* side_rows(unsigned side) { return rows_.data() + first_row + side_lanes * side; }
    // Puts a stone on a cell of one side's rows or removes it, by the 32-bit word of its bit.
    static void flip(Word* rows, unsigned cell) {
        Word* place = rows + (cell >> 5) * (sizeof(std::uint32_t) / sizeof(Word));
        std::uint32_t word;
        std::memcpy(&word, place, sizeof word);
        word ^= 1u << (cell & 31);
        std::memcpy(place, &word, sizeof word);
    }
    // A game is seldom over earlier.
    unsigned first_block() const {
        constexpr unsigned few = size * size / 4;
        const unsigned stones = size * size - empty_;
        return block + (stones < few ? few - stones : 0);
    }
    // Draws the next block of moves: they become the last of the empty cells, the first move at the end.
    unsigned draw(unsigned most, Random& random) {
        const unsigned moves = std::min(most, empty_);
        Random local = random;  // a write through a pointer to bytes may change anything but a local variable
        unsigned left = empty_;
        for (unsigned pair = moves / 2; pair; --pair) {
            const std::uint64_t bits = local.next();
            cells_.draw(static_cast<std::uint32_t>(bits >> 32), left--);
            cells_.draw(static_cast<std::uint32_t>(bits), left--);
        }
        if (moves % 2) cells_.draw(local.next32(), left);
        random = local;
        return moves;
    }
    // Plays the drawn cells from the end of the empty ones, the last first.
    void put(unsigned moves) {
        Word* const mover = side_rows(turn_);
        Word* const other = side_rows(turn_ ^ 1);
        const auto* cell = cells_.cells.data() + empty_;
        empty_ -= moves;
        turn_ ^= moves & 1;
        for (; moves > 1; moves -= 2) {
            flip(mover, *--cell);
            flip(other, *--cell);
        }
        if (moves) flip(mover, *--cell);
    }
    void take_back(unsigned moves) {
        for (; moves; --moves) {
            turn_ ^= 1;
            flip(side_rows(turn_), cells_.cells[empty_++]);
        }
    }
    // Whether the last block has certainly not made a winning five.
    bool quiet() const {
        if (!exactly || !longer_) return !any<five_or_more>();
        return !any<exact_five>() && count_longer() == longer_;
    }
    // 1 or -1 for the side that was the first to have five in a row in the last `moves`, by bisection, since they stay.
    int first_with_five(unsigned moves) {
        unsigned without = 0, with = moves, at = moves;
        while (with - without > 1) {
            const unsigned half = (without + with) / 2;
            at > half ? take_back(at - half) : put(half - at);
            at = half;
            (any<five_or_more>() ? with : without) = half;
        }
        return (turn_ ^ ((at ^ with) & 1)) ? 1 : -1;
    }
    // Plays the last `moves` once more, a move at a time, since a later stone can make a row of five longer: 1 or -1
    // for the side that wins, or 0.
    int replay(unsigned moves) {
        take_back(moves);
        for (; moves; --moves) {
            put(1);
            if (any<exact_five>()) return turn_ ? 1 : -1;
        }
        longer_ = count_longer();
        return 0;
    }

    // Where the pattern starts, row by row for both sides; `join` makes one word of those in the four directions.
    template <Pattern pattern, class Join>
    void find_half(int first, std::array<Word, lanes>& found, Join join) const {
        const Word* rows = rows_.data() + first_row;
        for (int i = first; i < first + lanes / 2; ++i) {
            const unsigned a = rows[i], b = rows[i + 1], c = rows[i + 2], d = rows[i + 3], e = rows[i + 4];
            unsigned row = a & a >> 1;
            row &= row >> 2 & a >> 4;
            unsigned column = a & b & c & d & e;
            unsigned diagonal = a & b >> 1 & c >> 2 & d >> 3 & e >> 4;
            unsigned other = a & b << 1 & c << 2 & d << 3 & e << 4;
            if (pattern != five_or_more) {
                const unsigned before = rows[i - 1], after = rows[i + 5];
                const bool more = pattern == six_or_more;
                row &= more ? a >> 5 : ~(a << 1 | a >> 5);
                column &= more ? after : ~(before | after);
                diagonal &= more ? after >> 5 : ~(before << 1 | after >> 5);
                other &= more ? after << 5 : ~(before >> 1 | after << 5);
            }
            found[static_cast<std::size_t>(i)] = static_cast<Word>(join(row, column, diagonal, other));
        }
    }
    template <Pattern pattern, class Join>
    void find(std::array<Word, lanes>& found, Join join) const {
        find_half<pattern>(0, found, join);
        find_half<pattern>(lanes / 2, found, join);
    }
    template <Pattern pattern>
    void find(std::array<Word, lanes>& found) const {
        find<pattern>(found, [](unsigned a, unsigned b, unsigned c, unsigned d) { return a | b | c | d; });
    }
    template <Pattern pattern>
    bool any() const {
        std::array<Word, lanes> found;
        find<pattern>(found);
        std::array<std::uint64_t, sizeof found / sizeof(std::uint64_t)> words;
        std::memcpy(words.data(), found.data(), sizeof words);
        std::uint64_t together = 0;
        for (const std::uint64_t word : words) together |= word;
        return together;
    }
    // The number of rows of six; a longer one has several.
    unsigned count_longer() const {
        if (!any<six_or_more>()) return 0;
        unsigned total = 0;
        std::array<Word, lanes> found;
        find<six_or_more>(found, [&](unsigned a, unsigned b, unsigned c, unsigned d) {
            for (const unsigned word : {a, b, c, d}) total += count(static_cast<Word>(word));
            return 0;
        });
        return total;
    }
    // 1 or -1 if only the side to move, or only the other side, of the start has five in a row; 0 if both have.
    int only_side_with_five() const {
        std::array<Word, lanes> found;
        find<five_or_more>(found);
        unsigned own = 0, other = 0;
        for (std::size_t i = 0; i < lanes / 2; ++i) {
            own |= found[i];
            other |= found[lanes / 2 + i];
        }
        return (own != 0) - (other != 0);
    }

    std::array<Word, first_row + lanes + 5> rows_{};  // empty ones above and below
    EmptyCells<size> cells_;
    unsigned empty_;
    unsigned turn_ = 0;    // 0 the side to move at the start
    unsigned longer_ = 0;  // rows of six on the board, as far as they matter
};

}  // namespace fiedler::five
