// The transposition table of negamax, shared by all threads of a search.
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>

#include "core/concept.hpp"
#include "core/pages.hpp"

namespace fiedler {

enum class Bound : std::uint8_t { none, exact, lower, upper };

// The knowledge of a position: a score from its side to move, exact or a bound, from a search of `depth` plies.
struct Known {
    std::int16_t score = 0;
    Move move = no_move;
    std::uint8_t depth = 0;
    Bound bound = Bound::none;
    std::uint8_t age = 0;  // the number of its search; set by the table

    bool operator==(const Known&) const = default;
};

// Four entries of 16 bytes share a cache line. An entry is two words, the knowledge and its XOR with the key, each read
// and written atomically but not both at once: two threads that write at the same time leave an entry without a key
// (Hyatt and Mann 2002, "A lockless transposition table").
class Table {
  public:
    // The largest power of two of entries that fits in `megabytes` (at least one megabyte).
    explicit Table(std::size_t megabytes)
        : lines_(std::bit_floor(std::max<std::size_t>(megabytes, 1) * (1u << 20) / sizeof(Line))) {}

    // The entry of this key; `bound` none if there is none.
    Known find(std::uint64_t key) const {
        for (const Entry& entry : lines_[place(key)].entries) {
            const std::uint64_t data = entry.data.load(std::memory_order_relaxed);
            if ((entry.check.load(std::memory_order_relaxed) ^ data) == key && data) return std::bit_cast<Known>(data);
        }
        return {};
    }
    // Replaces the entry of the same key, else the shallowest one, those of other searches first.
    void store(std::uint64_t key, Known known) {
        known.age = age_;
        Entry* worst = nullptr;
        int lowest = 0;
        for (Entry& entry : lines_[place(key)].entries) {
            const std::uint64_t data = entry.data.load(std::memory_order_relaxed);
            const auto old = std::bit_cast<Known>(data);
            const bool same = (entry.check.load(std::memory_order_relaxed) ^ data) == key;
            const int worth = !data || same ? -1 : old.depth + (old.age == age_ ? 256 : 0);
            if (!worst || worth < lowest) worst = &entry, lowest = worth;
            if (same) break;
        }
        const auto data = std::bit_cast<std::uint64_t>(known);
        worst->data.store(data, std::memory_order_relaxed);
        worst->check.store(key ^ data, std::memory_order_relaxed);
    }
    void prefetch(std::uint64_t key) const { __builtin_prefetch(&lines_[place(key)]); }
    void new_search() { ++age_; }
    void clear() { lines_.clear(); }

  private:
    struct Entry {
        std::atomic<std::uint64_t> data, check;
    };
    struct alignas(64) Line {
        std::array<Entry, 4> entries;
    };
    static_assert(sizeof(Known) == 8 && sizeof(Line) == 64);

    std::size_t place(std::uint64_t key) const { return key & (lines_.size() - 1); }

    Pages<Line> lines_;
    std::uint8_t age_ = 0;
};

}  // namespace fiedler
