// perft: the number of move paths of exactly d plies; the check of every rule set.
#pragma once

#include "core/limits.hpp"

namespace fiedler {

// Paths of exactly `depth` plies from `position`; a path is not continued after the end of the game. The last ply is
// counted in bulk: its moves need not be played. The number means nothing once `stop` is set.
template <Position P>
std::uint64_t perft(const P& position, int depth, const StopFlag& stop) {
    if (depth == 0) return 1;
    if constexpr (HasMoveCount<P>) {
        if (depth == 1) return static_cast<std::uint64_t>(position.move_count());
    }
    Moves<P> moves;
    position.moves(moves);
    if (depth == 1) return moves.size();
    std::uint64_t paths = 0;
    if (stop.is_set()) return paths;
    for (const Move move : moves) {
        P child = position;
        child.play(move);
        paths += perft(child, depth - 1, stop);
    }
    return paths;
}

}  // namespace fiedler
