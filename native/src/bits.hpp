// Counting and picking set bits of masks of up to nine cells.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace fiedler::bits {

// count[mask]: set bits. A table, since the instruction is not there on every machine the default build must run on.
inline constexpr auto count = [] {
    std::array<std::uint8_t, 512> table{};
    for (unsigned mask = 0; mask < 512; ++mask) table[mask] = static_cast<std::uint8_t>(std::popcount(mask));
    return table;
}();

// select[mask][k]: the place of the k-th set bit.
inline constexpr auto select = [] {
    std::array<std::array<std::uint8_t, 9>, 512> table{};
    for (unsigned mask = 0; mask < 512; ++mask)
        for (unsigned cell = 0, k = 0; cell < 9; ++cell)
            if (mask >> cell & 1) table[mask][k++] = static_cast<std::uint8_t>(cell);
    return table;
}();

}  // namespace fiedler::bits
