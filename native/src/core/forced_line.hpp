// A forced win as a line of moves.
#pragma once

#include <vector>

#include "core/knowledge.hpp"

namespace fiedler {

// A known win of the side to move: the move that ends the game, or the result of a search by threats with at most
// `nodes` positions; no plies if there is none.
template <Position P>
ForcedWin win_to_show(const P& position, Knowledge<P>& knowledge, std::uint64_t nodes) {
    if constexpr (HasThreats<P>)
        if (const Move move = position.threat(position.side()); move != no_move) return {1, move};
    if constexpr (FindsForcedWins<Knowledge<P>, P>) return knowledge.forced_win(position, nodes);
    return {};
}

// Appends the continuation to `line`, moves from `position` after which `winner` wins by force: his moves, each found
// with at most `nodes` positions, and the first candidate of the game's knowledge as the reply. It ends with the game,
// after `plies` in all, at the end of the watch, or if no win is found in time.
template <Position P>
void finish_line(P position, int winner, int plies, std::uint64_t nodes, const Stopwatch& watch,
                 std::vector<Move>& line) {
    for (const Move move : line) position.play(move);
    Knowledge<P> knowledge;
    if constexpr (HeedsStops<Knowledge<P>>) knowledge.heed(watch.stop());
    const auto next = [&]() -> Move {
        knowledge.reset(position);
        if (position.side() == winner) return win_to_show(position, knowledge, nodes).first;
        Moves<P> replies;
        knowledge.candidates(position, replies);
        return replies[0];
    };
    while (static_cast<int>(line.size()) < plies && position.outcome() == Outcome::running && !watch.stopped() &&
           !watch.out_of_time()) {
        const Move move = next();
        if (move == no_move) break;
        line.push_back(move);
        position.play(move);
    }
}

// The plies of a win by continuous threats, as its search counts them, and a line to it, which may be incomplete. Empty
// if no win was found.
template <Position P>
std::pair<int, std::vector<Move>> forced_line(const P& position, std::uint64_t nodes) {
    if constexpr (HasForcedWin<P>) {
        if (const ForcedWin win = position.forced_win(nodes); win.plies) {
            std::vector<Move> line{win.first};
            const StopFlag never;
            finish_line(position, position.side(), P::max_plies, nodes, Stopwatch(Limits{}, never), line);
            return {win.plies, line};
        }
    }
    return {};
}

}  // namespace fiedler
