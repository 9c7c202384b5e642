// Sixteen games side by side in vectors of 16-bit lanes, written with the compiler's own vector types: one AVX2
// register, or two registers of eight lanes on other machines; the results are the same everywhere.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

#include "core/random.hpp"

// All of this is inlined, so the calling convention of vectors does not matter.
#pragma GCC diagnostic ignored "-Wpsabi"

namespace fiedler::wide {

inline constexpr unsigned games = 16;
#if defined(__AVX2__)
inline constexpr unsigned lanes = 16;
#else
inline constexpr unsigned lanes = 8;
#endif
using Lanes = std::uint16_t __attribute__((vector_size(2 * lanes)));
using Truth = std::int16_t __attribute__((vector_size(2 * lanes)));  // a comparison: -1 or 0 in each lane
static_assert(games % lanes == 0);

inline Lanes all(unsigned value) {
    return Lanes{} + static_cast<std::uint16_t>(value);
}

// floor(a b / 2^16) in each lane.
inline Lanes high_product(const Lanes& a, const Lanes& b) {
#if defined(__AVX2__)
    return reinterpret_cast<Lanes>(_mm256_mulhi_epu16(reinterpret_cast<__m256i>(a), reinterpret_cast<__m256i>(b)));
#elif defined(__SSE2__)
    return reinterpret_cast<Lanes>(_mm_mulhi_epu16(reinterpret_cast<__m128i>(a), reinterpret_cast<__m128i>(b)));
#else
    Lanes high{};
    for (unsigned lane = 0; lane < lanes; ++lane)
        high[lane] = static_cast<std::uint16_t>(unsigned{a[lane]} * b[lane] >> 16);
    return high;
#endif
}

inline Lanes smaller(const Lanes& a, const Lanes& b) {
    return a < b ? a : b;
}

inline bool any(const Lanes& a) {
    std::array<std::uint64_t, lanes / 4> words;
    std::memcpy(words.data(), &a, sizeof a);
    std::uint64_t bits = 0;
    for (const std::uint64_t word : words) bits |= word;
    return bits;
}

// Sixteen random bits in each lane.
inline Lanes random_lanes(Random& random) {
    std::uint64_t __attribute__((vector_size(2 * lanes))) words;
    for (unsigned i = 0; i < lanes / 4; ++i) words[i] = random.next();
    return reinterpret_cast<Lanes>(words);
}

}  // namespace fiedler::wide
