// Random numbers and hashing: small, fast, the same on every machine.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>

namespace fiedler {

// The high and low halves of a 128-bit product folded together: a strong and quick mixing step.
inline std::uint64_t fold_multiply(std::uint64_t a, std::uint64_t b) {
    const unsigned __int128 product = static_cast<unsigned __int128>(a) * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

// Hash of a run of words, one folded multiplication each.
template <class... Words>
std::uint64_t hash_words(Words... words) {
    std::uint64_t hash = 0x9e3779b97f4a7c15ULL;
    ((hash = fold_multiply(hash ^ static_cast<std::uint64_t>(words), 0xd6e8feb86659fd93ULL) + 0x632be59bd9b4e019ULL),
     ...);
    return hash ^ (hash >> 29);
}

// Hash of six words by three independent folded multiplications: as good, with a third of the latency.
inline std::uint64_t hash_pairs(const std::uint64_t (&words)[6]) {
    return fold_multiply(words[0] ^ 0x9e3779b97f4a7c15ULL, words[1] ^ 0xd6e8feb86659fd93ULL) ^
           fold_multiply(words[2] ^ 0xa0761d6478bd642fULL, words[3] ^ 0xe7037ed1a0b428dbULL) ^
           fold_multiply(words[4] ^ 0x632be59bd9b4e019ULL, words[5] ^ 0x8ebc6af09c88c6e3ULL);
}

// A one-to-one hash of a single word: different words have different hashes.
inline std::uint64_t mix_word(std::uint64_t word) {
    word *= 0xd6e8feb86659fd93ULL;
    word ^= word >> 32;
    word *= 0x9e3779b97f4a7c15ULL;
    return word ^ word >> 32;
}

// A number for each stone of either player on each cell, whose XOR is the key of a board (Zobrist 1970), by the
// splitmix64 steps of Steele, Lea and Flood.
template <std::size_t cells>
constexpr auto zobrist_numbers(std::uint64_t state) {
    std::array<std::array<std::uint64_t, cells>, 2> table{};
    for (auto& owner : table)
        for (auto& number : owner) {
            std::uint64_t z = state += 0x9e3779b97f4a7c15ULL;
            z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
            z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
            number = z ^ z >> 31;
        }
    return table;
}

// A generator with 64 bits of state that steps by a Weyl sequence and scrambles by one folded multiplication (the
// wyrand construction of Wang Yi).
class Random {
  public:
    explicit Random(std::uint64_t seed = 0) : state_(hash_words(seed)) {}

    std::uint64_t next() {
        state_ += 0xa0761d6478bd642fULL;
        return fold_multiply(state_, state_ ^ 0xe7037ed1a0b428dbULL);
    }
    std::uint32_t next32() { return static_cast<std::uint32_t>(next() >> 32); }

    // Uniform in 0 .. n - 1, up to a bias of n / 2^32.
    std::uint32_t below(std::uint32_t n) { return scale(next32(), n); }

    // Uniform in [0, 1).
    double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

    // 32 uniform bits to 0 .. n - 1 (Lemire 2019, without the rejection step).
    static std::uint32_t scale(std::uint32_t bits, std::uint32_t n) {
        return static_cast<std::uint32_t>((static_cast<std::uint64_t>(bits) * n) >> 32);
    }

  private:
    std::uint64_t state_;
};

// A standard normal variate (Box and Muller 1958, one of the pair).
inline double random_normal(Random& random) {
    const double radius = std::sqrt(-2 * std::log(1 - random.uniform()));
    return radius * std::cos(2 * std::numbers::pi * random.uniform());
}

// A Gamma(shape, 1) variate (Marsaglia and Tsang 2000), shape > 0.
inline double random_gamma(double shape, Random& random) {
    if (shape < 1) return random_gamma(shape + 1, random) * std::pow(1 - random.uniform(), 1 / shape);
    const double d = shape - 1.0 / 3, c = 1 / std::sqrt(9 * d);
    for (;;) {
        const double x = random_normal(random), v = std::pow(1 + c * x, 3);
        if (v > 0 && std::log(1 - random.uniform()) < x * x / 2 + d * (1 - v + std::log(v))) return d * v;
    }
}

}  // namespace fiedler
