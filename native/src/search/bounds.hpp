// Upper confidence bounds of four children at a time, by IEEE operations alone: the same on every machine.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace fiedler {

// sqrt(ln n), for n in 1 .. 2^31 - 1 to seven significant bits (exactly n below 256), to within 1e-4.
class SqrtLog {
  public:
    static float of(std::uint32_t n) { return table[index(n)]; }

  private:
    static constexpr unsigned dropped = 16;  // of the mantissa's 23 bits
    static constexpr std::uint32_t one = std::bit_cast<std::uint32_t>(1.0f) >> dropped;

    static std::uint32_t index(std::uint32_t n) {
        return (std::bit_cast<std::uint32_t>(static_cast<float>(static_cast<std::int32_t>(n))) >> dropped) - one;
    }
    // By IEEE operations alone; log2 of the mantissa by a polynomial through Chebyshev's points.
    static float compute(std::uint32_t entry) {
        const std::uint32_t bits = (entry + one) << dropped;
        const float m = std::bit_cast<float>((bits & 0x7fffff) | 0x3f800000);
        const float log2_m = (((-0.07844068f * m + 0.62603218f) * m - 2.07833517f) * m + 4.02921139f) * m - 2.49835315f;
        return std::sqrt(0.69314718f * std::max(static_cast<float>(static_cast<int>(bits >> 23) - 127) + log2_m, 0.0f));
    }
    static const inline auto table = [] {
        std::array<float, 32 << (23 - dropped)> values;
        for (std::uint32_t entry = 0; entry < values.size(); ++entry) values[entry] = compute(entry);
        return values;
    }();
};

// 1 / sqrt(n) for n > 0: of small n, which nearly all nodes of a tree have, from a table.
class InverseRoot {
  public:
    static float of(std::uint32_t n) { return n < size ? table[n] : 1 / std::sqrt(static_cast<float>(n)); }

  private:
    static constexpr std::uint32_t size = 1024;
    static const inline auto table = [] {
        std::array<float, size> values{};
        for (std::uint32_t n = 1; n < size; ++n) values[n] = 1 / std::sqrt(static_cast<float>(n));
        return values;
    }();
};

// The bounds of four children: mean result + exploration / sqrt(visits). A tally holds visits in its low half and the
// sum of results in its high half; the bound of one without visits is not a number.
#if defined(__SSE2__)

inline std::array<float, 4> upper_bounds(std::array<std::uint64_t, 4> tallies, float exploration) {
    const auto pair = [](std::uint64_t low, std::uint64_t high) {
        return _mm_castsi128_ps(_mm_set_epi64x(static_cast<long long>(high), static_cast<long long>(low)));
    };
    const __m128 low = pair(tallies[0], tallies[1]), high = pair(tallies[2], tallies[3]);
    const __m128i visits = _mm_castps_si128(_mm_shuffle_ps(low, high, _MM_SHUFFLE(2, 0, 2, 0)));
    const __m128i results = _mm_castps_si128(_mm_shuffle_ps(low, high, _MM_SHUFFLE(3, 1, 3, 1)));
    const __m128 root = _mm_div_ps(_mm_set1_ps(1), _mm_sqrt_ps(_mm_cvtepi32_ps(visits)));
    const __m128 sum = _mm_add_ps(_mm_mul_ps(_mm_cvtepi32_ps(results), root), _mm_set1_ps(exploration));
    std::array<float, 4> bounds;
    _mm_storeu_ps(bounds.data(), _mm_mul_ps(sum, root));
    return bounds;
}

#else

inline std::array<float, 4> upper_bounds(std::array<std::uint64_t, 4> tallies, float exploration) {
    std::array<float, 4> bounds;
    for (std::size_t i = 0; i < 4; ++i) {
        const auto visits = static_cast<std::int32_t>(tallies[i]);
        const auto results = static_cast<std::int32_t>(tallies[i] >> 32);
        const float root = 1 / std::sqrt(static_cast<float>(visits));
        bounds[i] = (static_cast<float>(results) * root + exploration) * root;
    }
    return bounds;
}

#endif

}  // namespace fiedler
