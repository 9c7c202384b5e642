// The root of several trees, kept in step: now and then each thread adds what its tree has found since the last time,
// and takes over the findings of the others.
#pragma once

#include <array>
#include <bitset>
#include <cstdint>
#include <mutex>

#include "search/tree.hpp"

namespace fiedler {

// The statistics of the root and of each of its moves, of all trees of one search.
template <Position P>
struct SharedRoot {
    struct Entry {
        std::uint64_t tally = 0;  // of the simulations of this search, as in a node
        Proof proof = Proof::unknown;
        std::uint32_t rest = 0;  // plies to the end, of a proven win or loss

        bool tried() const { return tally || proof != Proof::unknown; }
    };
    static constexpr std::size_t root = P::actions;  // the index of its entry

    std::mutex mutex;  // of the entries
    std::array<Entry, P::actions + 1> entries{};
};

// The part of one tree, which its thread alone uses.
template <Position P, class Tree>
class RootPart {
  public:
    // What the tree has found before stays its own.
    RootPart(Tree& tree, SharedRoot<P>& shared) : tree_(tree), shared_(shared) {
        own_[SharedRoot<P>::root] = {tree[0].tally};
        tree[0].each_child(tree, [&](std::uint32_t child) { own_[tree[child].move()] = {tree[child].tally}; });
    }

    // Whether the root is proven now.
    bool exchange() {
        const std::lock_guard held(shared_.mutex);
        add_children();
        bool news = false;
        tree_[0].each_child(tree_, [&](std::uint32_t child) {
            news |= exchange_proof(child, shared_.entries[tree_[child].move()]);
            exchange_tally(tree_[child], tree_[child].move());
        });
        exchange_tally(tree_[0], SharedRoot<P>::root);
        if (news && tree_[0].known() == Proof::unknown) tree_.prove_by_children(tree_[0]);
        return tree_[0].known() != Proof::unknown;
    }

  private:
    using Node = typename Tree::Node;
    using Entry = typename SharedRoot<P>::Entry;

    // Of a node and of its entry, after the last exchange.
    struct Tallies {
        std::uint64_t node = 0, entry = 0;
    };

    // The moves that other trees have tried.
    void add_children() {
        std::bitset<P::actions> here;
        tree_[0].each_child(tree_, [&](std::uint32_t child) { here.set(tree_[child].move()); });
        for (std::size_t move = 0; move < P::actions; ++move)
            if (!here[move] && shared_.entries[move].tried()) tree_.add_to_root(static_cast<Move>(move));
    }
    // Whether the tree learns a proof.
    bool exchange_proof(std::uint32_t child, Entry& entry) {
        const Proof here = tree_[child].known();
        if (here == Proof::unknown && entry.proof != Proof::unknown) {
            tree_.close(child, entry.proof, entry.rest);
            return true;
        }
        if (here != Proof::unknown && entry.proof == Proof::unknown) {
            entry.proof = here;
            if (here != Proof::drawn) entry.rest = static_cast<std::uint32_t>(plies_to_end(tree_, child));
        }
        return false;
    }
    void exchange_tally(Node& node, std::size_t index) {
        if (tree_.discards(node)) return;
        Entry& entry = shared_.entries[index];
        Tallies& own = own_[index];
        // The results of a draw are zero, not the sum of what the trees had found before its proof.
        const std::uint64_t mask = node.known() == Proof::drawn ? 0xffffffff : ~std::uint64_t{0};
        const std::uint64_t found = (node.tally - own.node) & mask, others = (entry.tally - own.entry) & mask;
        entry.tally += found;
        node.tally += others;
        own = {node.tally, entry.tally};
    }

    Tree& tree_;
    SharedRoot<P>& shared_;
    std::array<Tallies, P::actions + 1> own_{};
};

}  // namespace fiedler
