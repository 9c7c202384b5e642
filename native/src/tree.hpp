// What the tree searches share: proven results, and keeping the part of a tree that is still of use.
#pragma once

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <vector>

#include "concept.hpp"

namespace fiedler {

// What is certain of a node, for the player who moved into it.
enum class Proof : std::uint8_t { unknown, won, lost, drawn };

// What the rules say of a position, for the player who moved into it.
inline Proof proof_by_rules(Outcome outcome) {
    switch (outcome) {
        case Outcome::loss: return Proof::won;
        case Outcome::win: return Proof::lost;
        case Outcome::draw: return Proof::drawn;
        case Outcome::running: break;
    }
    return Proof::unknown;
}

inline int proven_value(Proof proof) {
    return proof == Proof::won ? 1 : proof == Proof::lost ? -1 : 0;
}

// A tree is an array of nodes with their children side by side: `first` is the index of a node's first child, `count`
// their number (0 until it is expanded), `move` leads into a node, `visits` and `proof` are what is known of it, and
// `tie_break()` decides between children with as many visits.
template <class Node>
using Tree = std::vector<Node>;

// What the children say of a node: lost for its mover when the opponent has a winning reply, won when all replies
// lose, drawn when all replies are proven and none is better than a draw.
template <class Node>
Proof proof_by_children(const Tree<Node>& tree, const Node& node) {
    bool all_proven = true, any_draw = false;
    for (std::uint32_t i = node.first; i < node.first + node.count; ++i) {
        if (tree[i].proof == Proof::won) return Proof::lost;
        all_proven &= tree[i].proof != Proof::unknown;
        any_draw |= tree[i].proof == Proof::drawn;
    }
    return !all_proven ? Proof::unknown : any_draw ? Proof::drawn : Proof::won;
}

inline constexpr std::uint32_t no_node = 0xffffffff;

// The node of `wanted` at most `plies` below node `at`, which is the position `here`; no_node if there is none.
template <Position P, class Node>
std::uint32_t find_position(const Tree<Node>& tree, const P& wanted, std::uint32_t at, const P& here, int plies) {
    if (here == wanted) return at;
    if (plies == 0) return no_node;
    for (std::uint32_t i = tree[at].first; i < tree[at].first + tree[at].count; ++i) {
        P child = here;
        child.play(tree[i].move);
        if (const std::uint32_t found = find_position(tree, wanted, i, child, plies - 1); found != no_node)
            return found;
    }
    return no_node;
}

// Make the subtree of `at` the whole tree, breadth first, with as much room as before.
template <class Node>
void keep_subtree(Tree<Node>& tree, std::uint32_t at) {
    Tree<Node> kept;
    kept.reserve(tree.capacity());
    kept.push_back(tree[at]);
    for (std::size_t i = 0; i < kept.size(); ++i) {
        const auto first = tree.begin() + kept[i].first;
        kept[i].first = static_cast<std::uint32_t>(kept.size());
        kept.insert(kept.end(), first, first + kept[i].count);
    }
    tree.swap(kept);
}

// Make `position` the root of a tree whose root is `root` now, keeping what is known when it is the same position or up
// to two plies below. Keeping costs about 20 ns a node and cannot be interrupted, so a subtree that would cost more
// than a tenth of a search of `seconds` (0: no limit) is given up.
template <Position P, class Node>
void move_root(Tree<Node>& tree, P& root, const P& position, double seconds) {
    constexpr double seconds_per_node = 20e-9, share = 0.1;
    const std::uint32_t at = find_position(tree, position, 0, root, 2);
    root = position;
    if (at == 0 && tree[0].visits) return;
    bool worth = at != no_node;
    if (worth && seconds > 0) {
        const double part = static_cast<double>(tree[at].visits) / std::max<std::uint32_t>(tree[0].visits, 1);
        worth = part * static_cast<double>(tree.size()) * seconds_per_node <= share * seconds;
    }
    if (worth) {
        keep_subtree(tree, at);
    } else {
        tree.assign(1, Node{});
    }
}

// The move to play from a node: a proven win, else the most visited one that is not proven lost, else any.
template <class Node>
std::uint32_t best_child(const Tree<Node>& tree, std::uint32_t at) {
    const Node& parent = tree[at];
    const auto rank = [&](const Node& node) {
        const int proof = node.proof == Proof::won ? 2 : node.proof == Proof::lost ? 0 : 1;
        const bool draw_is_best = parent.proof == Proof::drawn && node.proof == Proof::drawn;
        return std::tuple(proof, draw_is_best, node.visits, node.tie_break());
    };
    std::uint32_t best = parent.first;
    for (std::uint32_t i = best + 1; i < parent.first + parent.count; ++i)
        if (rank(tree[i]) > rank(tree[best])) best = i;
    return best;
}

}  // namespace fiedler
