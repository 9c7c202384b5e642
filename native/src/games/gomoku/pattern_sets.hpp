// The patterns of the four directions of a cell as one number, whatever their order.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "games/gomoku/patterns.hpp"

namespace fiedler {

// All sets of four patterns, each of which may occur several times, numbered from 0, four times `none`.
class PatternSets {
  public:
    static constexpr std::size_t count = 3876;  // 19 over 4

    static const PatternSets& instance() {
        static const PatternSets sets;
        return sets;
    }
    // The number of the set for each of the 65536 codes of four bits a direction.
    const std::uint16_t* index() const { return index_.data(); }
    // The patterns of a set, best first.
    const std::array<std::uint8_t, 4>& operator[](std::size_t set) const { return sets_[set]; }

  private:
    PatternSets() : index_(1 << 16), sets_(count) {
        for (unsigned code = 0; code < index_.size(); ++code) {
            std::array<std::uint8_t, 4> set;
            for (unsigned d = 0; d < 4; ++d) set[d] = static_cast<std::uint8_t>(code >> 4 * d & 15);
            std::sort(set.begin(), set.end(), std::greater<>{});
            const unsigned a = set[0], b = set[1], c = set[2], d = set[3];
            const unsigned place =
                (a + 3) * (a + 2) * (a + 1) * a / 24 + (b + 2) * (b + 1) * b / 6 + (c + 1) * c / 2 + d;
            index_[code] = static_cast<std::uint16_t>(place);
            sets_[place] = set;
        }
    }

    std::vector<std::uint16_t> index_;
    std::vector<std::array<std::uint8_t, 4>> sets_;
};

}  // namespace fiedler
