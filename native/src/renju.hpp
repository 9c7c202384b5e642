// Renju: the points that are forbidden for Black.
#pragma once

#include <bit>

#include "gomoku_lines.hpp"

namespace fiedler {

// What a black stone would make that it must not.
enum class Forbidden : std::uint8_t { none, overline, double_four, double_three };

namespace renju {

// A board as the rule sees it: Black's stones, which it adds and takes away again while it looks ahead, and White's.
template <int size>
class Board {
  public:
    using Words = std::array<std::uint16_t, lines::count<size>>;

    Board(const Words& black, const Words& white) : black_(black), white_(white) {}

    // Why Black may not play on an empty cell. Five is never forbidden; six or more always is; so are two fours, that
    // is two sets of four stones of which one more stone makes exactly five; and threes in two directions.
    Forbidden kind(Move move) {
        const Sight sight = look(move);
        return lines::exact_fives(sight.black) ? Forbidden::none : kind_without_five(move, sight);
    }

  private:
    // The windows around a cell with a black stone put on it.
    struct Sight {
        lines::Packed black, empty;
    };

    Sight look(Move move) const {
        const lines::Place& place = lines::places<size>[move];
        Sight sight{0, 0};
        for (std::size_t d = 0; d < lines::directions; ++d) {
            const std::size_t line = place.line[d];
            const unsigned black = black_[line], free = lines::cells<size>[line] & ~(black | white_[line]);
            const auto window = [&](unsigned word) {
                return lines::Packed{word << lines::middle >> place.bit[d] & lines::window_bits} << 16 * d;
            };
            sight.black |= window(black);
            sight.empty |= window(free);
        }
        constexpr lines::Packed stone = lines::in_each(1u << lines::middle);
        return {sight.black | stone, sight.empty & ~stone};
    }

    Forbidden kind_without_five(Move move, const Sight& sight) {
        if (lines::fives(sight.black)) return Forbidden::overline;
        if (two_fours(sight)) return Forbidden::double_four;
        const lines::Packed threes = lines::exact_threes(sight.black, sight.empty);
        return two_directions(threes) && two_threes(move, sight, threes) ? Forbidden::double_three : Forbidden::none;
    }

    // A straight four is found from both ends, but is one four.
    static bool two_fours(const Sight& sight) {
        const lines::Packed fours = lines::exact_fours(sight.black, sight.empty);
        const lines::Packed straight = fours & fours >> 1 & sight.empty & sight.empty >> 5;
        const lines::Packed different = fours & ~straight;
        return different & (different - 1);
    }
    static bool two_directions(lines::Packed starts) {
        int found = 0;
        for (; starts; starts >>= 16) found += (starts & 0xffff) != 0;
        return found >= 2;
    }

    // Are the threes in two directions real, that is, can each become a straight four by a stone on a cell that makes
    // no five and is not forbidden itself?
    bool two_threes(Move move, const Sight& sight, lines::Packed starts) {
        int found = 0;
        flip(move);
        for (std::size_t d = 0; d < lines::directions && found < 2; ++d)
            found += real_three(move, d, static_cast<unsigned>(starts >> 16 * d & 0xffff),
                                static_cast<unsigned>(sight.empty >> 16 * d & 0xffff));
        flip(move);
        return found == 2;
    }
    bool real_three(Move move, std::size_t direction, unsigned starts, unsigned empty) {
        for (; starts; starts &= starts - 1) {
            const int inner = std::countr_zero(starts) + 1;
            const int place = inner + std::countr_zero(empty >> inner);
            const int step = size * lines::row_step[direction] + lines::column_step[direction];
            if (playable(static_cast<Move>(move + (place - static_cast<int>(lines::middle)) * step))) return true;
        }
        return false;
    }
    bool playable(Move move) {
        const Sight sight = look(move);
        return !lines::exact_fives(sight.black) && kind_without_five(move, sight) == Forbidden::none;
    }
    void flip(Move move) {
        const lines::Place& place = lines::places<size>[move];
        for (std::size_t d = 0; d < lines::directions; ++d)
            black_[place.line[d]] = static_cast<std::uint16_t>(black_[place.line[d]] ^ 1u << place.bit[d]);
    }

    Words black_;
    const Words& white_;
};

}  // namespace renju

}  // namespace fiedler
