// The proven bounds of positions: the table of the solver.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>

#include "core/concept.hpp"
#include "core/pages.hpp"

namespace fiedler {

// A bound on the score of a position for its side to move: n > 0, a win that takes n plies less than the longest game;
// n < 0, such a loss; 0, a draw.
struct Proven {
    int value = 0;
    bool lower = false;
    bool known = false;
};

// Eight entries of eight bytes in a cache line, each written and read atomically. From 2^17 lines (8 MiB) on, an entry
// and its place hold the whole key: if keys are one to one, no answer belongs to another position.
class SolveTable {
  public:
    static constexpr int most_plies = 255;  // of the longest game

    // The largest power of two of lines that fits in `megabytes` (at least one megabyte).
    explicit SolveTable(std::size_t megabytes)
        : lines_(std::bit_floor(std::max<std::size_t>(megabytes, 1) * (1u << 20) / sizeof(Line))) {}

    Proven find(std::uint64_t key) const {
        for (const auto& entry : lines_[place(key)].entries) {
            const std::uint64_t data = entry.load(std::memory_order_relaxed);
            if ((data ^ key) >> key_shift == 0 && (data & 0x1ff))
                return {static_cast<int>(data & 0x1ff) - zero, (data >> 9 & 1) != 0, true};
        }
        return {};
    }
    // Replaces the entry of the same key, else the one that cost the fewest nodes.
    void store(std::uint64_t key, int value, bool lower, std::uint64_t nodes) {
        std::atomic<std::uint64_t>* cheapest = nullptr;
        std::uint64_t least = 0;
        for (auto& entry : lines_[place(key)].entries) {
            const std::uint64_t data = entry.load(std::memory_order_relaxed);
            const bool same = (data ^ key) >> key_shift == 0;
            const std::uint64_t cost = same ? 0 : data >> 10 & 0x7f;
            if (!cheapest || cost < least) cheapest = &entry, least = cost;
            if (same) break;
        }
        const auto cost = static_cast<std::uint64_t>(std::bit_width(nodes));
        const std::uint64_t bound = static_cast<std::uint64_t>(value + zero) | std::uint64_t{lower} << 9;
        cheapest->store(key >> key_shift << key_shift | cost << 10 | bound, std::memory_order_relaxed);
    }
    void prefetch(std::uint64_t key) const { __builtin_prefetch(&lines_[place(key)]); }
    void clear() { lines_.clear(); }

  private:
    // From the top: 47 bits of the key, 7 of the cost, lower or not, 9 of the value plus `zero`, which is never 0.
    static constexpr int zero = most_plies + 1;
    static constexpr unsigned key_shift = 17;
    struct alignas(64) Line {
        std::array<std::atomic<std::uint64_t>, 8> entries;
    };

    std::size_t place(std::uint64_t key) const { return key & (lines_.size() - 1); }

    Pages<Line> lines_;
};

}  // namespace fiedler
