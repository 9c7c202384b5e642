// Positions with their training targets; the newest ones are kept.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <stdexcept>
#include <type_traits>
#include <vector>

#include "core/random.hpp"
#include "learn/targets.hpp"
#include "net/pattern_input.hpp"

namespace fiedler {

template <Position P, Target T>
struct Sample {
    P position;
    T target;
};

// A ring of samples.
template <Position P, Target T>
class Samples {
  public:
    using Sample = fiedler::Sample<P, T>;

    explicit Samples(std::size_t capacity) : capacity_(std::max<std::size_t>(capacity, 1)) {}

    std::size_t size() const { return ring_.size(); }
    std::uint64_t added() const { return added_; }
    std::size_t capacity() const { return capacity_; }

    void add(const Sample& sample) {
        if (ring_.size() < capacity_) {
            ring_.push_back(sample);
        } else {
            ring_[added_ % capacity_] = sample;
        }
        ++added_;
    }

    // Fills `count` rows with samples drawn uniformly, each under a random symmetry; needs size() > 0. `planes` takes
    // planes_size<P> floats a row, each of `targets` as many as its column is wide.
    void draw(std::size_t count, std::uint64_t seed, float* planes,
              std::array<float*, T::columns.size()> targets) const {
        draw_each(count, seed, targets,
                  [&](std::size_t row, const P& position) { position.planes(planes + row * planes_size<P>); });
    }
    // The same with the patterns of the positions, `pattern_places<P>` a row, in place of the planes.
    void draw_patterns(std::size_t count, std::uint64_t seed, std::uint16_t* patterns,
                       std::array<float*, T::columns.size()> targets) const {
        draw_each(count, seed, targets, [&](std::size_t row, const P& position) {
            write_patterns(position, patterns + row * pattern_places<P>);
        });
    }

    // The whole ring as bytes for this machine's own use, with a checksum; for `load`.
    std::vector<char> dump() const {
        const Header header = header_of(ring_.data(), ring_.size(), added_);
        std::vector<char> bytes(sizeof header + ring_.size() * sizeof(Sample));
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
        if (rest % sizeof(Sample) || rest / sizeof(Sample) != header.size || header.size > capacity_ ||
            header.sample_size != sizeof(Sample))
            throw std::invalid_argument("samples: the dump is cut short or of another game or capacity");
        std::vector<Sample> ring(header.size);
        if (rest) std::memcpy(static_cast<void*>(ring.data()), bytes + sizeof header, rest);
        if (header.checksum != header_of(ring.data(), ring.size(), header.added).checksum)
            throw std::invalid_argument("samples: the dump is damaged");
        ring_ = std::move(ring);
        added_ = header.added;
    }

  private:
    static_assert(std::is_trivially_copyable_v<Sample>);

    template <class Write>
    void draw_each(std::size_t count, std::uint64_t seed, std::array<float*, T::columns.size()> targets,
                   Write write) const {
        Random random(seed);
        for (std::size_t row = 0; row < count; ++row) {
            const Sample& sample = ring_[random.next() % ring_.size()];
            const unsigned symmetry = random.below(P::symmetries);
            write(row, sample.position.transformed(symmetry));
            sample.target.write(symmetry, targets.data());
            for (std::size_t i = 0; i < targets.size(); ++i) targets[i] += T::columns[i].width;
        }
    }

    struct Header {
        std::uint64_t size, added, sample_size, checksum;
    };
    static Header header_of(const Sample* samples, std::size_t size, std::uint64_t added) {
        std::uint64_t checksum = hash_words(size, added, sizeof(Sample), P::actions);
        const auto* bytes = reinterpret_cast<const unsigned char*>(samples);
        for (std::size_t i = 0; i < size * sizeof(Sample); i += 8) {
            std::uint64_t word = 0;
            std::memcpy(&word, bytes + i, std::min<std::size_t>(8, size * sizeof(Sample) - i));
            checksum = hash_words(checksum, word);
        }
        return {size, added, sizeof(Sample), checksum};
    }

    std::size_t capacity_;
    std::vector<Sample> ring_;
    std::uint64_t added_ = 0;
};

}  // namespace fiedler
