// Dense layers in whole numbers of 16 bits, with the widest registers of the build: the same results on every machine.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <immintrin.h>
#endif

namespace fiedler::integer {

// Registers of 32-bit sums: `add_products` adds, in each, the products of two pairs of 16-bit numbers.
#if defined(__AVX512BW__)
struct Sums {
    static constexpr std::size_t size = 16;
    __m512i v;

    static Sums load(const std::int32_t* from) { return {_mm512_loadu_si512(from)}; }
    void store(std::int32_t* to) const { _mm512_storeu_si512(to, v); }
    void add_products(std::int32_t pair, const std::int16_t* weights) {
        v = _mm512_add_epi32(v, _mm512_madd_epi16(_mm512_set1_epi32(pair), _mm512_loadu_si512(weights)));
    }
};
#elif defined(__AVX2__)
struct Sums {
    static constexpr std::size_t size = 8;
    __m256i v;

    static Sums load(const std::int32_t* from) { return {_mm256_loadu_si256(reinterpret_cast<const __m256i*>(from))}; }
    void store(std::int32_t* to) const { _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), v); }
    void add_products(std::int32_t pair, const std::int16_t* weights) {
        const __m256i row = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(weights));
        v = _mm256_add_epi32(v, _mm256_madd_epi16(_mm256_set1_epi32(pair), row));
    }
};
#elif defined(__SSE2__)
struct Sums {
    static constexpr std::size_t size = 4;
    __m128i v;

    static Sums load(const std::int32_t* from) { return {_mm_loadu_si128(reinterpret_cast<const __m128i*>(from))}; }
    void store(std::int32_t* to) const { _mm_storeu_si128(reinterpret_cast<__m128i*>(to), v); }
    void add_products(std::int32_t pair, const std::int16_t* weights) {
        const __m128i row = _mm_loadu_si128(reinterpret_cast<const __m128i*>(weights));
        v = _mm_add_epi32(v, _mm_madd_epi16(_mm_set1_epi32(pair), row));
    }
};
#else
struct Sums {
    static constexpr std::size_t size = 1;
    std::int32_t v;

    static Sums load(const std::int32_t* from) { return {*from}; }
    void store(std::int32_t* to) const { *to = v; }
    void add_products(std::int32_t pair, const std::int16_t* weights) {
        std::int16_t x[2];
        std::memcpy(x, &pair, sizeof x);
        v += x[0] * weights[0] + x[1] * weights[1];
    }
};
#endif

// For each of `rows` rows of x, side by side: sums[o] = bias[o] + the sum over i of x[i] * weight(o, i). `weights`
// holds, for each pair of inputs, the two weights of each output; `x` are the bytes of 16-bit numbers.
template <std::size_t rows, std::size_t inputs, std::size_t outputs>
void dense(const char* x, const std::int16_t* weights, const std::int32_t* bias, std::int32_t* sums) {
    constexpr std::size_t registers = outputs / Sums::size;
    static_assert(outputs % Sums::size == 0 && inputs % 2 == 0);
    std::array<std::array<Sums, registers>, rows> sum;
    for (auto& row : sum)
        for (std::size_t r = 0; r < registers; ++r) row[r] = Sums::load(bias + r * Sums::size);
    for (std::size_t i = 0; i < inputs; i += 2, weights += 2 * outputs) {
        for (std::size_t row = 0; row < rows; ++row) {
            std::int32_t pair;
            std::memcpy(&pair, x + 2 * (row * inputs + i), sizeof pair);
            for (std::size_t r = 0; r < registers; ++r) sum[row][r].add_products(pair, weights + 2 * r * Sums::size);
        }
    }
    for (std::size_t row = 0; row < rows; ++row)
        for (std::size_t r = 0; r < registers; ++r) sum[row][r].store(sums + row * outputs + r * Sums::size);
}

}  // namespace fiedler::integer
