// Renju: the points that are forbidden for Black.
#pragma once

#include <bit>
#include <string_view>

#include "games/gomoku/lines.hpp"

namespace fiedler {

// The forbidden pattern of a black stone.
enum class Forbidden : std::uint8_t { none, overline, double_four, double_three };

namespace renju {

inline std::string_view name(Forbidden kind) {
    switch (kind) {
        case Forbidden::overline: return "overline";
        case Forbidden::double_four: return "double four";
        case Forbidden::double_three: return "double three";
        case Forbidden::none: break;
    }
    return {};
}

// A board for the rule: Black's stones and White's, which must outlive it.
template <int size>
class Board {
  public:
    using Words = lines::Words<size>;

    Board(const Words& black, const Words& white) : black_(black), white_(white) {}

    // The reason why an empty cell is forbidden to Black. Five is never forbidden; six or more always is; so are two
    // fours, that is, two sets of four stones that one more stone makes exactly five; and threes in two directions.
    Forbidden kind(Move move) const {
        const lines::Sight sight = lines::look<size>(black_, white_, move);
        return lines::exact_fives(sight.stones) ? Forbidden::none : kind_without_five(move, sight);
    }

  private:
    Forbidden kind_without_five(Move move, const lines::Sight& sight) const {
        if (lines::fives(sight.stones)) return Forbidden::overline;
        if (two_fours(sight)) return Forbidden::double_four;
        const lines::Packed threes = lines::threes<true>(sight);
        return two_directions(threes) && two_threes(move, sight, threes) ? Forbidden::double_three : Forbidden::none;
    }

    // A straight four is found from both ends, but counts as one four.
    static bool two_fours(const lines::Sight& sight) {
        const lines::Packed fours = lines::fours<true>(sight);
        const lines::Packed straight = fours & fours >> 1 & sight.empty & sight.empty >> 5;
        const lines::Packed different = fours & ~straight;
        return different & (different - 1);
    }
    static bool two_directions(lines::Packed starts) {
        int found = 0;
        for (; starts; starts >>= 16) found += (starts & 0xffff) != 0;
        return found >= 2;
    }

    // Whether the threes in two directions are real, that is, whether each can become a straight four by a stone that
    // makes no five on a cell that is not forbidden itself.
    bool two_threes(Move move, const lines::Sight& sight, lines::Packed starts) const {
        Words black = black_;
        const lines::Place& place = lines::places<size>[move];
        for (std::size_t d = 0; d < lines::directions; ++d)
            black[place.line[d]] = static_cast<lines::Word<size>>(black[place.line[d]] | 1u << place.bit[d]);
        const Board after(black, white_);
        int found = 0;
        for (std::size_t d = 0; d < lines::directions && found < 2; ++d)
            found += after.real_three(move, d, static_cast<unsigned>(starts >> 16 * d & 0xffff),
                                      static_cast<unsigned>(sight.empty >> 16 * d & 0xffff));
        return found == 2;
    }
    bool real_three(Move move, std::size_t direction, unsigned starts, unsigned empty) const {
        for (; starts; starts &= starts - 1) {
            const int inner = std::countr_zero(starts) + 1;
            const int gap = inner + std::countr_zero(empty >> inner);
            if (playable(lines::along<size>(move, direction, gap - static_cast<int>(lines::middle)))) return true;
        }
        return false;
    }
    bool playable(Move move) const {
        const lines::Sight sight = lines::look<size>(black_, white_, move);
        return !lines::exact_fives(sight.stones) && kind_without_five(move, sight) == Forbidden::none;
    }

    const Words& black_;
    const Words& white_;
};

}  // namespace renju

}  // namespace fiedler
