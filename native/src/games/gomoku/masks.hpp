// Patterns on all cells of a square board at once: a word a row, in loops over the rows that compile to vector
// instructions.
#pragma once

#include <array>

#include "games/gomoku/lines.hpp"

namespace fiedler::masks {

// A bit for each cell, a word for each row, the column its bit. The rows fill whole vectors for every size, with empty
// ones around them for the patterns.
template <int size>
class Rows {
  public:
    using Word = lines::Word<size>;
    static constexpr int count = size < 16 ? 16 : (size + 7) / 8 * 8, margin = 6;

    Word operator[](int row) const { return words_[static_cast<std::size_t>(margin + row)]; }
    // Of these bits those that a row has.
    void set(int row, unsigned bits) { words_[static_cast<std::size_t>(margin + row)] = static_cast<Word>(bits); }

    bool any() const {
        unsigned together = 0;
        for (const Word word : words_) together |= word;
        return together;
    }

  private:
    std::array<Word, margin + count + margin> words_{};
};

template <int row_step, int column_step>
struct Direction {
    static constexpr int row = row_step, column = column_step;
};
using Across = Direction<0, 1>;
using Down = Direction<1, 0>;
using DownRight = Direction<1, 1>;
using DownLeft = Direction<1, -1>;

// For each cell of a row the one `steps` further in the direction.
template <class Direction, int steps, int size>
unsigned ahead(const Rows<size>& rows, int row) {
    constexpr int shift = Direction::column * steps;
    const unsigned word = rows[row + Direction::row * steps];
    return shift >= 0 ? word >> shift : word << -shift;
}

// Adds the empty cells on which a stone would make five in this direction; `exactly`: five and not more.
template <class D, bool exactly, int size>
void add_completing(const Rows<size>& stones, const Rows<size>& empty, Rows<size>& cells) {
    for (int i = 0; i < Rows<size>::count; ++i) {
        const unsigned a1 = ahead<D, 1>(stones, i), a2 = ahead<D, 2>(stones, i), a3 = ahead<D, 3>(stones, i),
                       a4 = ahead<D, 4>(stones, i), b1 = ahead<D, -1>(stones, i), b2 = ahead<D, -2>(stones, i),
                       b3 = ahead<D, -3>(stones, i), b4 = ahead<D, -4>(stones, i);
        const unsigned ahead2 = a1 & a2, ahead3 = ahead2 & a3, behind2 = b1 & b2, behind3 = behind2 & b3;
        unsigned found;
        if (exactly) {
            const unsigned a5 = ahead<D, 5>(stones, i), b5 = ahead<D, -5>(stones, i);
            found = (ahead3 & a4 & ~a5 & ~b1) | (ahead3 & ~a4 & b1 & ~b2) | (ahead2 & ~a3 & behind2 & ~b3) |
                    (a1 & ~a2 & behind3 & ~b4) | (~a1 & behind3 & b4 & ~b5);
        } else {
            found = (ahead3 & (a4 | b1)) | (ahead2 & behind2) | (behind3 & (a1 | b4));
        }
        cells.set(i, cells[i] | (found & empty[i]));
    }
}

// The empty cells on which a stone would make five in some direction.
template <bool exactly, int size>
Rows<size> completing(const Rows<size>& stones, const Rows<size>& empty) {
    Rows<size> cells;
    add_completing<Across, exactly>(stones, empty, cells);
    add_completing<Down, exactly>(stones, empty, cells);
    add_completing<DownRight, exactly>(stones, empty, cells);
    add_completing<DownLeft, exactly>(stones, empty, cells);
    return cells;
}

// Where six cells in this direction start, the outer two empty, of which the inner four have three stones and an empty
// cell.
template <class D, int size>
Rows<size> threes(const Rows<size>& stones, const Rows<size>& empty) {
    Rows<size> starts;
    for (int i = 0; i < Rows<size>::count; ++i) {
        const unsigned a1 = ahead<D, 1>(stones, i), a2 = ahead<D, 2>(stones, i), a3 = ahead<D, 3>(stones, i),
                       a4 = ahead<D, 4>(stones, i), left = a1 & a2, right = a3 & a4;
        const unsigned e1 = ahead<D, 1>(empty, i), e2 = ahead<D, 2>(empty, i), e3 = ahead<D, 3>(empty, i),
                       e4 = ahead<D, 4>(empty, i), ends = empty[i] & ahead<D, 5>(empty, i);
        const unsigned inner = (right & ((a1 & e2) | (e1 & a2))) | (left & ((a3 & e4) | (e3 & a4)));
        starts.set(i, inner & ends);
    }
    return starts;
}

// The patterns that may forbid an empty cell to Black in renju: necessary conditions, counted as far as they matter,
// but not sufficient ones.
template <int size>
class Suspicion {
  public:
    using Board = Rows<size>;

    // The board must not have a five or a longer row.
    Suspicion(const Board& black, const Board& empty) : black_(black), empty_(empty) {
        add<Across>();
        add<Down>();
        add<DownRight>();
        add<DownLeft>();
    }

    // The cells that need a full check; no other is forbidden.
    unsigned row(int i) const { return (fours2_[i] | threes2_[i] | long_[i]) & empty_[i]; }

  private:
    // Where five cells start that would become a four, and six that would become a three, by a stone on one of their
    // empty cells.
    template <class D>
    void find(Board& fours, Board& threes) const {
        for (int i = 0; i < Board::count; ++i) {
            const unsigned b0 = black_[i], b1 = ahead<D, 1>(black_, i), b2 = ahead<D, 2>(black_, i),
                           b3 = ahead<D, 3>(black_, i), b4 = ahead<D, 4>(black_, i), b5 = ahead<D, 5>(black_, i);
            const unsigned e0 = empty_[i], e1 = ahead<D, 1>(empty_, i), e2 = ahead<D, 2>(empty_, i),
                           e3 = ahead<D, 3>(empty_, i), e4 = ahead<D, 4>(empty_, i), e5 = ahead<D, 5>(empty_, i);
            const unsigned before = ahead<D, -1>(black_, i), after = ahead<D, 6>(black_, i);
            const unsigned inner = (b1 | e1) & (b2 | e2) & (b3 | e3) & (b4 | e4);

            // Three of five: one adder for the first three, one for its sum and the others.
            const unsigned sum = b0 ^ b1 ^ b2, carry = (b0 & b1) | (b2 & (b0 | b1));
            const unsigned other_carry = (sum & (b3 | b4)) | (b3 & b4);
            const unsigned three = (sum ^ b3 ^ b4) & (carry ^ other_carry);
            fours.set(i, three & (b0 | e0) & inner & ~before & ~b5);

            const unsigned one_left = b1 ^ b2, one_right = b3 ^ b4;
            const unsigned two = (one_left & one_right) | (((b1 & b2) ^ (b3 & b4)) & ~(one_left | one_right));
            threes.set(i, two & e0 & inner & e5 & ~before & ~after);
        }
    }
    template <class D>
    void add() {
        Board fours, threes;
        find<D>(fours, threes);
        for (int i = 0; i < Board::count; ++i) {
            unsigned once = fours_[i], twice = fours2_[i];
            const auto count = [&](unsigned found) {
                twice |= once & found;
                once |= found;
            };
            count(fours[i]);
            count(ahead<D, -1>(fours, i));
            count(ahead<D, -2>(fours, i));
            count(ahead<D, -3>(fours, i));
            count(ahead<D, -4>(fours, i));
            fours_.set(i, once);
            fours2_.set(i, twice);

            const unsigned three =
                ahead<D, -1>(threes, i) | ahead<D, -2>(threes, i) | ahead<D, -3>(threes, i) | ahead<D, -4>(threes, i);
            threes2_.set(i, threes2_[i] | (threes_[i] & three));
            threes_.set(i, threes_[i] | three);

            const unsigned a1 = ahead<D, 1>(black_, i), a2 = a1 & ahead<D, 2>(black_, i),
                           a3 = a2 & ahead<D, 3>(black_, i), a4 = a3 & ahead<D, 4>(black_, i);
            const unsigned b1 = ahead<D, -1>(black_, i), b2 = b1 & ahead<D, -2>(black_, i),
                           b3 = b2 & ahead<D, -3>(black_, i), b4 = b3 & ahead<D, -4>(black_, i);
            long_.set(i, long_[i] | (a1 & b4) | (a2 & b3) | (a3 & b2) | (a4 & b1));
        }
    }

    const Board& black_;
    const Board& empty_;
    Board fours_, fours2_, threes_, threes2_, long_;  // cells that would make a pattern, or a second one
};

}  // namespace fiedler::masks
