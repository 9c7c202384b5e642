// The heuristic bots: osp and hsp (docs/players.md).
#pragma once

#include <algorithm>
#include <limits>

#include "core/concept.hpp"
#include "core/random.hpp"

namespace fiedler {

// Whether the side to move has a move that wins the game at once.
template <Position P>
Move winning_move(const P& position) {
    if constexpr (HasThreats<P>) return position.threat(position.side());
    Moves<P> moves;
    position.moves(moves);
    for (const Move move : moves) {
        P child = position;
        child.play(move);
        if (child.outcome() == Outcome::loss) return move;
    }
    return no_move;
}

// The moves both bots choose from: those that win the game; else those that leave the opponent no immediate win, if
// there are any; else all.
template <Position P>
Moves<P> sensible_moves(const P& position) {
    Moves<P> all, wins, safe;
    position.moves(all);
    for (const Move move : all) {
        P child = position;
        child.play(move);
        const Outcome outcome = child.outcome();
        if (outcome == Outcome::loss) wins.push(move);
        if (outcome == Outcome::draw || (outcome == Outcome::running && winning_move(child) == no_move))
            safe.push(move);
    }
    return !wins.empty() ? wins : !safe.empty() ? safe : all;
}

// A random one of the sensible moves. The game must be running.
template <Position P>
Move choose_osp(const P& position, std::uint64_t seed) {
    const Moves<P> moves = sensible_moves(position);
    return moves[Random(seed).below(static_cast<std::uint32_t>(moves.size()))];
}

// The sensible move with the highest line score, ties by `seed`; a game without line scores gets osp's choice. The game
// must be running.
template <Position P>
Move choose_hsp(const P& position, std::uint64_t seed) {
    if constexpr (HasLineScore<P>) {
        Moves<P> best;
        int highest = std::numeric_limits<int>::min();
        for (const Move move : sensible_moves(position)) {
            const int score = position.line_score(move);
            if (score > highest) best.clear();
            if (score >= highest) best.push(move);
            highest = std::max(highest, score);
        }
        return best[Random(seed).below(static_cast<std::uint32_t>(best.size()))];
    } else {
        return choose_osp(position, seed);
    }
}

}  // namespace fiedler
