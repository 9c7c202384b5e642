// The transposition table of negamax: one entry a slot, always the newer one unless the older searched deeper in this
// search.
#pragma once

#include <algorithm>
#include <bit>
#include <vector>

#include "concept.hpp"

namespace fiedler {

enum class Bound : std::uint8_t { none, exact, lower, upper };

// What is known of a position: a score from its side to move, exact or a bound, from a search of `depth` plies.
struct TableEntry {
    std::uint64_t key = 0;
    std::int16_t score = 0;
    Move move = no_move;
    std::uint8_t depth = 0;
    Bound bound = Bound::none;
    std::uint8_t age = 0;
};
static_assert(sizeof(TableEntry) == 16);

class Table {
  public:
    // The largest power of two of entries that fits in `megabytes` (at least one megabyte).
    explicit Table(std::size_t megabytes)
        : entries_(std::bit_floor(std::max<std::size_t>(megabytes, 1) * (1u << 20) / sizeof(TableEntry))) {}

    // The entry of this key, or nullptr.
    const TableEntry* find(std::uint64_t key) const {
        const TableEntry& entry = slot(key);
        return entry.bound != Bound::none && entry.key == key ? &entry : nullptr;
    }
    void store(TableEntry entry) {
        TableEntry& old = slot(entry.key);
        entry.age = age_;
        const bool deeper =
            old.bound != Bound::none && old.age == age_ && old.key != entry.key && old.depth > entry.depth;
        if (!deeper) old = entry;
    }
    void new_search() { ++age_; }
    void clear() { std::fill(entries_.begin(), entries_.end(), TableEntry{}); }

  private:
    TableEntry& slot(std::uint64_t key) { return entries_[key & (entries_.size() - 1)]; }
    const TableEntry& slot(std::uint64_t key) const { return entries_[key & (entries_.size() - 1)]; }

    std::vector<TableEntry> entries_;
    std::uint8_t age_ = 0;
};

}  // namespace fiedler
