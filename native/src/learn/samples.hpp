// What self-play has learned, for training: positions with the search's verdict, the newest ones kept.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include "core/concept.hpp"
#include "core/random.hpp"

namespace fiedler {

// A position, the search's visits over its moves (scaled to 255 for the most visited), its value and the game's result.
template <Position P>
struct Sample {
    P position;
    std::array<std::uint8_t, P::actions> visits{};
    std::int8_t result = 0;  // of the game for the side to move: 1, 0 or -1
    float value = 0;         // of the search for the side to move, -1 .. 1
};

// A ring of samples.
template <Position P>
class Samples {
  public:
    static constexpr std::size_t planes_size = std::size_t{P::planes_count} * P::rows * P::columns;

    explicit Samples(std::size_t capacity) : capacity_(std::max<std::size_t>(capacity, 1)) {}

    std::size_t size() const { return ring_.size(); }
    std::uint64_t added() const { return added_; }
    std::size_t capacity() const { return capacity_; }

    void add(const Sample<P>& sample) {
        if (ring_.size() < capacity_) {
            ring_.push_back(sample);
        } else {
            ring_[added_ % capacity_] = sample;
        }
        ++added_;
    }

    // Fills `count` rows with samples drawn uniformly, each under a random symmetry; needs size() > 0. `planes` takes
    // planes_size floats a row, `policy` P::actions (they sum to 1), `results` and `values` one.
    void draw(std::size_t count, std::uint64_t seed, float* planes, float* policy, float* results,
              float* values) const {
        Random random(seed);
        std::fill_n(policy, count * P::actions, 0.0f);
        for (std::size_t row = 0; row < count; ++row) {
            const Sample<P>& sample = ring_[random.next() % ring_.size()];
            const unsigned symmetry = random.below(P::symmetries);
            sample.position.transformed(symmetry).planes(planes + row * planes_size);
            spread(sample, symmetry, policy + row * P::actions);
            results[row] = sample.result;
            values[row] = sample.value;
        }
    }

    // The whole ring as bytes for this machine's own use, with a checksum; `load` gives it back.
    std::vector<char> dump() const {
        const Header header = header_of(ring_.data(), ring_.size(), added_);
        std::vector<char> bytes(sizeof header + ring_.size() * sizeof(Sample<P>));
        std::memcpy(bytes.data(), &header, sizeof header);
        if (!ring_.empty()) std::memcpy(bytes.data() + sizeof header, ring_.data(), bytes.size() - sizeof header);
        return bytes;
    }

    // Throws std::invalid_argument if the bytes are not a whole dump of this game's samples, or too many.
    void load(const char* bytes, std::size_t size) {
        Header header;
        if (size < sizeof header) throw std::invalid_argument("samples: the dump is cut short");
        std::memcpy(&header, bytes, sizeof header);
        const std::size_t rest = size - sizeof header;
        if (rest % sizeof(Sample<P>) || rest / sizeof(Sample<P>) != header.size || header.size > capacity_ ||
            header.sample_size != sizeof(Sample<P>))
            throw std::invalid_argument("samples: the dump is cut short or of another game or capacity");
        std::vector<Sample<P>> ring(header.size);
        if (rest) std::memcpy(static_cast<void*>(ring.data()), bytes + sizeof header, rest);
        if (header.checksum != header_of(ring.data(), ring.size(), header.added).checksum)
            throw std::invalid_argument("samples: the dump is damaged");
        ring_ = std::move(ring);
        added_ = header.added;
    }

  private:
    static_assert(std::is_trivially_copyable_v<Sample<P>>);

    struct Header {
        std::uint64_t size, added, sample_size, checksum;
    };
    static Header header_of(const Sample<P>* samples, std::size_t size, std::uint64_t added) {
        std::uint64_t checksum = hash_words(size, added, sizeof(Sample<P>), P::actions);
        const auto* bytes = reinterpret_cast<const unsigned char*>(samples);
        for (std::size_t i = 0; i < size * sizeof(Sample<P>); i += 8) {
            std::uint64_t word = 0;
            std::memcpy(&word, bytes + i, std::min<std::size_t>(8, size * sizeof(Sample<P>) - i));
            checksum = hash_words(checksum, word);
        }
        return {size, added, sizeof(Sample<P>), checksum};
    }

    static void spread(const Sample<P>& sample, unsigned symmetry, float* policy) {
        float sum = 0;
        for (const std::uint8_t visits : sample.visits) sum += visits;
        for (std::size_t move = 0; move < P::actions; ++move)
            if (sample.visits[move])
                policy[P::transformed_move(symmetry, static_cast<Move>(move))] = sample.visits[move] / sum;
    }

    std::size_t capacity_;
    std::vector<Sample<P>> ring_;
    std::uint64_t added_ = 0;
};

}  // namespace fiedler
