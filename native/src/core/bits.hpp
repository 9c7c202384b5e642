// Counting and picking set bits of masks of up to nine cells.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace fiedler::bits {

// count[mask]: set bits. A table, since not every machine of the default build has the instruction.
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

// The places of the set bits in nibbles from below, their number in the top nibble.
inline constexpr auto places = [] {
    std::array<std::uint64_t, 512> table{};
    for (unsigned mask = 0; mask < 512; ++mask) {
        for (unsigned k = 0; k < count[mask]; ++k) table[mask] |= std::uint64_t{select[mask][k]} << 4 * k;
        table[mask] |= std::uint64_t{count[mask]} << 60;
    }
    return table;
}();

// A uniformly random place, by 32 random bits, of a word of `places`; 0 if there is none.
inline unsigned pick(std::uint64_t word, std::uint32_t random) {
    return static_cast<unsigned>(word >> ((random * (word >> 60)) >> 30 & 60) & 15);
}

}  // namespace fiedler::bits
