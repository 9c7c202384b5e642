// Wins by threats at the root of a tree search.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/concept.hpp"
#include "core/limits.hpp"

namespace fiedler {

// A win of the side to move: at once or, if the game can search for one, by threats.
template <Position P>
ForcedWin find_win(const P& position, [[maybe_unused]] std::uint64_t nodes) {
    if constexpr (HasThreats<P>)
        if (const Move move = position.threat(position.side()); move != no_move) return {1, move};
    if constexpr (HasForcedWin<P>) return position.forced_win(nodes);
    return {};
}

// The same for the root, with at most `most_nodes` positions, in steps between which the search can be stopped; in a
// search by time it takes about a tenth.
template <Position P>
ForcedWin root_win(const P& position, const Stopwatch& watch, std::uint64_t most_nodes) {
    constexpr std::uint64_t nodes_a_simulation = 10;
    const Limits& limits = watch.limits();
    const bool few = limits.nodes && limits.nodes < most_nodes / nodes_a_simulation;
    const std::uint64_t most = few ? nodes_a_simulation * limits.nodes : most_nodes;
    ForcedWin win;
    for (std::uint64_t nodes = std::min(most, most_nodes / 8); nodes <= most && !win.plies; nodes *= 2) {
        win = find_win(position, nodes);
        if (watch.stopped() || (limits.seconds > 0 && watch.seconds() > limits.seconds / 20)) break;
    }
    return win;
}

}  // namespace fiedler
