// The common part of the tree searches: proven results, and keeping the useful part of a tree.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <limits>
#include <optional>
#include <tuple>
#include <vector>

#include "core/concept.hpp"

namespace fiedler {

// The proven result of a node, for the player who moved into it.
enum class Proof : std::uint8_t { unknown, won, lost, drawn };

// The result of a position by the rules, for the player who moved into it.
inline Proof proof_by_rules(Outcome outcome) {
    switch (outcome) {
        case Outcome::loss: return Proof::won;
        case Outcome::win: return Proof::lost;
        case Outcome::draw: return Proof::drawn;
        case Outcome::running: break;
    }
    return Proof::unknown;
}

// The findings of a search on one move of the root.
struct RootMove {
    Move move;
    std::uint32_t visits;
    double score;                 // expected score of the side to move, 0 .. 1
    std::optional<double> prior;  // the network's probability
};

// Most visited first.
inline void sort_by_visits(std::vector<RootMove>& moves) {
    std::ranges::sort(moves, [](const RootMove& a, const RootMove& b) {
        return std::tuple(b.visits, a.move) < std::tuple(a.visits, b.move);
    });
}

inline int proven_value(Proof proof) {
    return proof == Proof::won ? 1 : proof == Proof::lost ? -1 : 0;
}

// A tree is an array of slots that begins with the root, in `root_slots` slots of its own. Most slots hold nodes, some
// may lead on to more children of one node. Slots are given out in blocks. The members of its nodes:
//
//     move()            leads into the node
//     first             a slot, where `leads_on()`
//     known()           its proven result
//     visited()         simulations through it
//     tie_break()       decides between children with equal visits
//     complete()        whether every relevant move is among its children
//     rest()            plies to the end, of a node that is won or lost and has no children
//     each_child(tree, visit)   visit(slot) for each child
//     each_block(tree, visit)   visit(slot, number of slots) for each block that holds them
inline constexpr std::uint32_t no_node = 0xffffffff;

// The result of a node by its children: lost for its mover if the opponent has a winning reply, won if all replies
// lose, drawn if all replies are proven and none is better than a draw.
template <class Tree, class Node>
Proof proof_by_children(const Tree& tree, const Node& node) {
    bool all_proven = node.complete(), any_draw = false, any_win = false;
    node.each_child(tree, [&](std::uint32_t child) {
        const Proof proof = tree[child].known();
        any_win |= proof == Proof::won;
        all_proven &= proof != Proof::unknown;
        any_draw |= proof == Proof::drawn;
    });
    if (any_win) return Proof::lost;
    return !all_proven ? Proof::unknown : any_draw ? Proof::drawn : Proof::won;
}

// The node of `wanted` at most `plies` below node `at`, which is the position `here`; no_node if there is none.
template <Position P, class Tree>
std::uint32_t find_position(const Tree& tree, const P& wanted, std::uint32_t at, const P& here, int plies) {
    if (here == wanted) return at;
    std::uint32_t found = no_node;
    if (plies == 0) return found;
    tree[at].each_child(tree, [&](std::uint32_t i) {
        if (found != no_node) return;
        P child = here;
        child.play(tree[i].move());
        found = find_position(tree, wanted, i, child, plies - 1);
    });
    return found;
}

// A set of slots, and the number of them before a given one: `bytes_a_slot` bytes for each slot.
class SlotSet {
  public:
    static constexpr double bytes_a_slot = 12.0 / 64;

    explicit SlotSet(std::size_t slots) : bits_((slots + 63) / 64), before_(bits_.size()) {}

    void insert(std::uint32_t first, std::uint32_t count) {
        for (std::uint32_t i = first; i < first + count; ++i) bits_[i / 64] |= 1ULL << i % 64;
    }
    // Call it once, after the last insertion.
    void count() {
        std::uint32_t sum = 0;
        for (std::size_t word = 0; word < bits_.size(); ++word) {
            before_[word] = sum;
            sum += static_cast<std::uint32_t>(std::popcount(bits_[word]));
        }
    }
    std::uint32_t before(std::uint32_t slot) const {
        return before_[slot / 64] +
               static_cast<std::uint32_t>(std::popcount(bits_[slot / 64] & ((1ULL << slot % 64) - 1)));
    }
    template <class Visit>
    void each(Visit visit) const {  // ascending
        for (std::size_t word = 0; word < bits_.size(); ++word)
            for (std::uint64_t rest = bits_[word]; rest; rest &= rest - 1)
                visit(static_cast<std::uint32_t>(64 * word) + static_cast<std::uint32_t>(std::countr_zero(rest)));
    }

  private:
    std::vector<std::uint64_t> bits_;
    std::vector<std::uint32_t> before_;
};

// The number of slots of `slot_bytes` bytes that fit in `bytes`, with the memory to keep a subtree of them.
inline std::size_t slots_within(std::size_t bytes, std::size_t slot_bytes) {
    const double all = static_cast<double>(bytes) - 64, each = static_cast<double>(slot_bytes) + SlotSet::bytes_a_slot;
    return static_cast<std::size_t>(all / each);
}

template <class Tree>
void collect_subtree(const Tree& tree, std::uint32_t at, SlotSet& slots) {
    tree[at].each_block(tree, [&](std::uint32_t first, std::uint32_t count) { slots.insert(first, count); });
    tree[at].each_child(tree, [&](std::uint32_t child) {
        if (tree[child].leads_on()) collect_subtree(tree, child, slots);
    });
}

// Make the subtree of `at` the whole tree, in place: its slots move to the front in their order.
template <class Tree>
void keep_subtree(Tree& tree, std::uint32_t at, std::uint32_t root_slots) {
    SlotSet kept(tree.size());
    collect_subtree(tree, at, kept);
    kept.count();
    std::uint32_t size = root_slots;
    const auto move = [&](std::uint32_t from, std::uint32_t to) {
        auto node = tree[from];
        if (node.leads_on()) node.first = root_slots + kept.before(node.first);
        tree[to] = node;
    };
    move(at, 0);
    kept.each([&](std::uint32_t slot) { move(slot, size++); });
    tree.resize(size);
}

// Make `position` the root of a tree with the root `root`, keeping its subtree if it is the same position or up to two
// plies below. Keeping costs about 20 ns a node and cannot be interrupted, so a subtree that would cost more than a
// tenth of a search of `seconds` (0: no limit) is given up. False if nothing is kept: the tree is unchanged and
// useless.
template <Position P, class Tree>
bool move_root(Tree& tree, P& root, const P& position, double seconds, std::uint32_t root_slots) {
    constexpr double seconds_per_node = 20e-9, share = 0.1;
    const std::uint32_t at = find_position(tree, position, 0, root, 2);
    root = position;
    if (at == no_node) return false;
    if (at == 0) return tree[0].visited();
    if (seconds > 0) {
        const double part = static_cast<double>(tree[at].visited()) / std::max<std::uint32_t>(tree[0].visited(), 1);
        if (part * static_cast<double>(tree.size()) * seconds_per_node > share * seconds) return false;
    }
    keep_subtree(tree, at, root_slots);
    return true;
}

// Plies to the end from a node that is won or lost: exact for the tree's lines of play, so the winner needs no more.
template <class Tree>
int plies_to_end(const Tree& tree, std::uint32_t at) {
    const bool mover_lost = tree[at].known() == Proof::lost;  // the side to move wins
    if (!tree[at].leads_on()) return static_cast<int>(tree[at].rest());
    int plies = mover_lost ? std::numeric_limits<int>::max() : 0;
    tree[at].each_child(tree, [&](std::uint32_t child) {
        if (!mover_lost) {
            plies = std::max(plies, 1 + plies_to_end(tree, child));
        } else if (tree[child].known() == Proof::won) {
            plies = std::min(plies, 1 + plies_to_end(tree, child));
        }
    });
    return plies;
}

// The move to play from a node. In a decided game the quickest win or the longest loss; else the most visited one that
// is not proven lost, or any.
template <class Tree>
std::uint32_t best_child(const Tree& tree, std::uint32_t at) {
    const Proof end = tree[at].known();
    const bool decided = end == Proof::won || end == Proof::lost;
    const auto rank = [&](std::uint32_t child) {
        const Proof known = tree[child].known();
        const int proof = known == Proof::won ? 2 : known == Proof::lost ? 0 : 1;
        const bool draw_is_best = end == Proof::drawn && known == Proof::drawn;
        const int plies = !decided || (end == Proof::lost && proof < 2) ? 0 : plies_to_end(tree, child);
        const int pace = end == Proof::lost ? -plies : plies;
        return std::tuple(proof, draw_is_best, pace, tree[child].visited(), tree[child].tie_break());
    };
    std::uint32_t best = no_node;
    decltype(rank(0)) highest{};
    tree[at].each_child(tree, [&](std::uint32_t child) {
        if (const auto found = rank(child); best == no_node || found > highest) best = child, highest = found;
    });
    return best;
}

}  // namespace fiedler
