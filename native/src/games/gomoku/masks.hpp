// Patterns on all cells of a square board at once: a word a row, in loops over the rows that compile to vector
// instructions.
#pragma once

#include <array>
#include <cstdint>

namespace fiedler::masks {

// A bit for each cell, a word for each row, the column its bit. Sixteen rows whatever the size, and empty ones around
// them for the patterns to look at.
class Rows {
  public:
    static constexpr int count = 16, margin = 6;

    std::uint16_t& operator[](int row) { return words_[static_cast<std::size_t>(margin + row)]; }
    std::uint16_t operator[](int row) const { return words_[static_cast<std::size_t>(margin + row)]; }

    bool any() const {
        unsigned together = 0;
        for (const std::uint16_t word : words_) together |= word;
        return together;
    }

    // For each cell of a row the one `steps` further in the direction.
    template <class Direction, int steps>
    unsigned ahead(int row) const {
        constexpr int shift = Direction::column * steps;
        const unsigned word = (*this)[row + Direction::row * steps];
        return shift >= 0 ? word >> shift : word << -shift;
    }

  private:
    std::array<std::uint16_t, margin + count + margin> words_{};
};

template <int row_step, int column_step>
struct Direction {
    static constexpr int row = row_step, column = column_step;
};
using Across = Direction<0, 1>;
using Down = Direction<1, 0>;
using DownRight = Direction<1, 1>;
using DownLeft = Direction<1, -1>;

// Adds the empty cells on which a stone would make five in this direction; `exactly`: five and not more.
template <class D, bool exactly>
void add_completing(const Rows& stones, const Rows& empty, Rows& cells) {
    for (int i = 0; i < Rows::count; ++i) {
        const unsigned a1 = stones.ahead<D, 1>(i), a2 = stones.ahead<D, 2>(i), a3 = stones.ahead<D, 3>(i),
                       a4 = stones.ahead<D, 4>(i), b1 = stones.ahead<D, -1>(i), b2 = stones.ahead<D, -2>(i),
                       b3 = stones.ahead<D, -3>(i), b4 = stones.ahead<D, -4>(i);
        const unsigned ahead2 = a1 & a2, ahead3 = ahead2 & a3, behind2 = b1 & b2, behind3 = behind2 & b3;
        unsigned found;
        if (exactly) {
            const unsigned a5 = stones.ahead<D, 5>(i), b5 = stones.ahead<D, -5>(i);
            found = (ahead3 & a4 & ~a5 & ~b1) | (ahead3 & ~a4 & b1 & ~b2) | (ahead2 & ~a3 & behind2 & ~b3) |
                    (a1 & ~a2 & behind3 & ~b4) | (~a1 & behind3 & b4 & ~b5);
        } else {
            found = (ahead3 & (a4 | b1)) | (ahead2 & behind2) | (behind3 & (a1 | b4));
        }
        cells[i] = static_cast<std::uint16_t>(cells[i] | (found & empty[i]));
    }
}

// The empty cells on which a stone would make five in some direction.
template <bool exactly>
Rows completing(const Rows& stones, const Rows& empty) {
    Rows cells;
    add_completing<Across, exactly>(stones, empty, cells);
    add_completing<Down, exactly>(stones, empty, cells);
    add_completing<DownRight, exactly>(stones, empty, cells);
    add_completing<DownLeft, exactly>(stones, empty, cells);
    return cells;
}

// Where six cells in this direction start, the outer two empty, of which the inner four have three stones and an empty
// cell.
template <class D>
Rows threes(const Rows& stones, const Rows& empty) {
    Rows starts;
    for (int i = 0; i < Rows::count; ++i) {
        const unsigned a1 = stones.ahead<D, 1>(i), a2 = stones.ahead<D, 2>(i), a3 = stones.ahead<D, 3>(i),
                       a4 = stones.ahead<D, 4>(i), left = a1 & a2, right = a3 & a4;
        const unsigned e1 = empty.ahead<D, 1>(i), e2 = empty.ahead<D, 2>(i), e3 = empty.ahead<D, 3>(i),
                       e4 = empty.ahead<D, 4>(i), ends = empty[i] & empty.ahead<D, 5>(i);
        const unsigned inner = (right & ((a1 & e2) | (e1 & a2))) | (left & ((a3 & e4) | (e3 & a4)));
        starts[i] = static_cast<std::uint16_t>(inner & ends);
    }
    return starts;
}

// What may make an empty cell forbidden for Black in renju: all that is needed, counted as far as it matters, but not
// all that the rule asks.
class Suspicion {
  public:
    // There is no five and no longer row on the board.
    Suspicion(const Rows& black, const Rows& empty) : black_(black), empty_(empty) {
        add<Across>();
        add<Down>();
        add<DownRight>();
        add<DownLeft>();
    }

    // The cells that need a closer look; no other is forbidden.
    std::uint16_t row(int i) const {
        return static_cast<std::uint16_t>((fours2_[i] | threes2_[i] | long_[i]) & empty_[i]);
    }

  private:
    // Where five cells start that would become a four, and six that would become a three, by a stone on one of their
    // empty cells.
    template <class D>
    void find(Rows& fours, Rows& threes) const {
        for (int i = 0; i < Rows::count; ++i) {
            const unsigned b0 = black_[i], b1 = black_.ahead<D, 1>(i), b2 = black_.ahead<D, 2>(i),
                           b3 = black_.ahead<D, 3>(i), b4 = black_.ahead<D, 4>(i), b5 = black_.ahead<D, 5>(i);
            const unsigned e0 = empty_[i], e1 = empty_.ahead<D, 1>(i), e2 = empty_.ahead<D, 2>(i),
                           e3 = empty_.ahead<D, 3>(i), e4 = empty_.ahead<D, 4>(i), e5 = empty_.ahead<D, 5>(i);
            const unsigned before = black_.ahead<D, -1>(i), after = black_.ahead<D, 6>(i);
            const unsigned inner = (b1 | e1) & (b2 | e2) & (b3 | e3) & (b4 | e4);

            // Three of five: one adder for the first three, one for its sum and the others.
            const unsigned sum = b0 ^ b1 ^ b2, carry = (b0 & b1) | (b2 & (b0 | b1));
            const unsigned other_carry = (sum & (b3 | b4)) | (b3 & b4);
            const unsigned three = (sum ^ b3 ^ b4) & (carry ^ other_carry);
            fours[i] = static_cast<std::uint16_t>(three & (b0 | e0) & inner & ~before & ~b5);

            const unsigned one_left = b1 ^ b2, one_right = b3 ^ b4;
            const unsigned two = (one_left & one_right) | (((b1 & b2) ^ (b3 & b4)) & ~(one_left | one_right));
            threes[i] = static_cast<std::uint16_t>(two & e0 & inner & e5 & ~before & ~after);
        }
    }
    template <class D>
    void add() {
        Rows fours, threes;
        find<D>(fours, threes);
        for (int i = 0; i < Rows::count; ++i) {
            unsigned once = fours_[i], twice = fours2_[i];
            const auto count = [&](unsigned found) {
                twice |= once & found;
                once |= found;
            };
            count(fours[i]);
            count(fours.ahead<D, -1>(i));
            count(fours.ahead<D, -2>(i));
            count(fours.ahead<D, -3>(i));
            count(fours.ahead<D, -4>(i));
            fours_[i] = static_cast<std::uint16_t>(once);
            fours2_[i] = static_cast<std::uint16_t>(twice);

            const unsigned three =
                threes.ahead<D, -1>(i) | threes.ahead<D, -2>(i) | threes.ahead<D, -3>(i) | threes.ahead<D, -4>(i);
            threes2_[i] = static_cast<std::uint16_t>(threes2_[i] | (threes_[i] & three));
            threes_[i] = static_cast<std::uint16_t>(threes_[i] | three);

            const unsigned a1 = black_.ahead<D, 1>(i), a2 = a1 & black_.ahead<D, 2>(i), a3 = a2 & black_.ahead<D, 3>(i),
                           a4 = a3 & black_.ahead<D, 4>(i);
            const unsigned b1 = black_.ahead<D, -1>(i), b2 = b1 & black_.ahead<D, -2>(i),
                           b3 = b2 & black_.ahead<D, -3>(i), b4 = b3 & black_.ahead<D, -4>(i);
            long_[i] = static_cast<std::uint16_t>(long_[i] | (a1 & b4) | (a2 & b3) | (a3 & b2) | (a4 & b1));
        }
    }

    const Rows& black_;
    const Rows& empty_;
    Rows fours_, fours2_, threes_, threes2_, long_;  // cells that would make a pattern, or a second one
};

}  // namespace fiedler::masks
