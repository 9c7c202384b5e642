// The report of a proven root.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/forced_line.hpp"
#include "core/limits.hpp"
#include "search/tree.hpp"

namespace fiedler {

// The side to move wins, or loses, in `plies`.
inline void report_decided(bool wins, int plies, SearchInfo& info) {
    const int moves = (plies + 1) / 2;
    info.score = wins ? 1 : 0;
    info.mate = wins ? moves : -std::max(moves, 1);
}

// The result of a tree whose root may be proven. Its proof is that of the player who moved into it.
template <class Tree>
void report_proof(const Tree& tree, SearchInfo& info) {
    const Proof proof = tree[0].known();
    if (proof == Proof::drawn) info.score = 0.5, info.proven_draw = true;
    if (proof == Proof::lost || proof == Proof::won) report_decided(proof == Proof::lost, plies_to_end(tree, 0), info);
}

// The line of a decided root ends where threats or a table proved its result; this continues it, each win with at most
// `nodes` positions.
template <Position P>
void show_the_end(const P& root, const Stopwatch& watch, SearchInfo& info, std::uint64_t nodes = 4000) {
    if (!info.mate) return;
    const bool wins = *info.mate > 0;
    const int plies = wins ? 2 * *info.mate - 1 : -2 * *info.mate;
    finish_line(root, wins ? root.side() : 1 - root.side(), plies, nodes, watch, info.pv);
}

}  // namespace fiedler
