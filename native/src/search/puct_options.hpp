// The settings of PUCT.
#pragma once

#include <cstddef>
#include <cstdint>

namespace fiedler {

// The help of the game's rules beyond a step of play. Without it the network must know the tactics.
struct Tactics {
    std::uint64_t threats = 0;  // positions of the search by threats at every new node, of games that have one; the
                                // root and nodes with many visits have longer ones; 0: none
    std::uint64_t solve = 0;    // positions of the search to the end of the game at every new node late enough for it,
                                // of games that have a solver; 0: none
    bool candidates = false;    // a node has only the moves among which one is best by the game's knowledge

    bool any() const { return threats || solve || candidates; }
};

struct PuctOptions {
    double c_puct = 1.5;         // exploration, for values in -1 .. 1
    double fpu_reduction = 0.2;  // the value of an unvisited move is this much below that of its parent
    std::size_t batch = 8;       // leaves that one search submits at a time, 1 .. 128
    double temperature = 0;      // of the choice among the root's visits; 0 plays the most visited move
    std::size_t hash_mb = 256;   // cap on the tree; a full tree stops growing, the search continues
    std::uint64_t seed = 0;
    Tactics tactics{};
    std::size_t width = 0;        // most children of a node, the likeliest ones, where no threat limits them; 0: all
    unsigned rollouts = 0;        // heuristic rollouts from each leaf
    double rollout_share = 1;     // weight of their mean result in the value of the leaf; the network has the rest
    std::uint32_t ask_from = 64;  // visits of a node for whose moves the network is asked, where a network of cells
                                  // values the leaves at once
};

}  // namespace fiedler
