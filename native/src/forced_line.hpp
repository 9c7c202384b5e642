// A win by continuous threats as a line of moves.
#pragma once

#include <vector>

#include "knowledge.hpp"

namespace fiedler {

// The plies of the win as the search by threats counts them, and a line to it: the attacker's moves as found, the
// first of the replies that the game's knowledge thinks worth a search. Each of the attacker's moves is searched with
// at most `nodes` positions, so that the line may break off. Empty where no win was found.
template <Position P>
std::pair<int, std::vector<Move>> forced_line(P position, std::uint64_t nodes) {
    std::pair<int, std::vector<Move>> found{0, {}};
    if constexpr (HasForcedWin<P>) {
        Knowledge<P> knowledge;
        const auto play = [&](Move move) {
            found.second.push_back(move);
            position.play(move);
        };
        while (position.outcome() == Outcome::running) {
            const ForcedWin win = position.forced_win(nodes);
            if (!win.plies) break;
            if (found.second.empty()) found.first = win.plies;
            play(win.first);
            if (position.outcome() != Outcome::running) break;
            Moves<P> replies;
            knowledge.reset(position);
            knowledge.candidates(position, replies);
            play(replies[0]);
        }
    }
    return found;
}

}  // namespace fiedler
