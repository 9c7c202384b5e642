// A node of PUCT's tree, and a leaf with the path to it.
#pragma once

#include <array>
#include <cstdint>
#include <type_traits>

#include "core/concept.hpp"
#include "search/tree.hpp"

namespace fiedler {

// The rest of a node, in four bytes: the move that leads here; the number of children, 0 until expanded;
// simulations below that wait for the network and count as lost (virtual loss); whether moves are missing among
// the children. If a byte for each number is enough they have one, which saves an instruction a child in select().
struct PuctBytes {
    std::uint8_t by = 0, count = 0, in_flight = 0;
    Proof proof : 2 = Proof::unknown;
    bool cut : 1 = false;
};
struct PuctBits {
    std::uint32_t in_flight : 8 = 0, by : 10 = 0, count : 11 = 0, cut : 1 = 0;
    Proof proof : 2 = Proof::unknown;
};
template <Position P>
using PuctRest = std::conditional_t<(P::actions <= 256 && P::max_moves <= 255), PuctBytes, PuctBits>;

// 20 bytes; children lie side by side in the arena, highest prior first.
template <Position P>
struct PuctNode : PuctRest<P> {
    using Rest = PuctRest<P>;
    using Rest::by, Rest::count, Rest::cut, Rest::proof;

    std::uint32_t visits = 0;
    float mean = 0;           // value for the player who moved into the node, -1 .. 1; exact once proven
    float prior = 0;          // the network's probability of the move among its sisters
    std::uint32_t first = 0;  // child; plies to the end in a node without children whose win is proven by threats

    static PuctNode of(Move move, float prior) {
        PuctNode node;
        node.by = move;
        node.prior = prior;
        return node;
    }
    Move move() const { return by; }
    Proof known() const { return proof; }
    std::uint32_t visited() const { return visits; }
    float tie_break() const { return prior; }
    bool complete() const { return !cut; }
    bool leads_on() const { return count; }
    std::uint32_t rest() const { return first; }
    template <class Tree, class Visit>
    void each_child(const Tree&, Visit visit) const {
        for (std::uint32_t i = first; i < first + count; ++i) visit(i);
    }
    template <class Tree, class Visit>
    void each_block(const Tree&, Visit visit) const {
        if (count) visit(first, count);
    }
};

// The end of a simulation, before its value is backed up.
template <Position P>
struct PuctLeaf {
    std::array<std::uint32_t, P::max_plies + 1> path;  // of nodes, from the root
    std::size_t length = 0;
    P position;
    Moves<P> moves;         // its choices
    std::size_t width = 0;  // most children

    std::uint32_t node() const { return path[length - 1]; }
    std::size_t depth() const { return length - 1; }
};

}  // namespace fiedler
