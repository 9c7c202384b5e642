// The order of moves: killers and history.
#pragma once

#include <algorithm>
#include <limits>

#include "core/knowledge.hpp"

namespace fiedler {

// The statistics of moves of one thread of a search.
template <Position P>
class MoveOrder {
  public:
    static constexpr int history_limit = 1 << 20;

    MoveOrder() { forget_killers(); }

    // For a new search: killers belong to its plies, history fades.
    void age() {
        for (auto& side : history_)
            for (int& value : side) value /= 4;
        forget_killers();
    }
    // Sort `moves`: the table's first, then by the sum of the game's promise, the history and a bonus for killers.
    void sort(Knowledge<P>& knowledge, const P& position, Moves<P>& moves, Move known, int ply) const {
        std::array<int, P::max_moves> scores;
        const auto& killers = killers_[static_cast<std::size_t>(ply)];
        const auto& history = history_[static_cast<std::size_t>(position.side())];
        for (std::size_t i = 0; i < moves.size(); ++i) {
            const Move move = moves[i];
            int score = history[move] + knowledge.order(position, move) * (history_limit / 8);
            if (move == killers[0] || move == killers[1]) score += history_limit;
            if (move == known) score = std::numeric_limits<int>::max();  // a queen taken promises more than 2^30
            std::size_t at = i;
            for (; at > 0 && scores[at - 1] < score; --at) scores[at] = scores[at - 1], moves[at] = moves[at - 1];
            scores[at] = score, moves[at] = move;
        }
    }
    // `move` refuted the position's last move in a search of `depth` plies.
    void reward(int side, Move move, int depth, int ply) {
        auto& killers = killers_[static_cast<std::size_t>(ply)];
        if (killers[0] != move) killers = {move, killers[0]};
        int& history = history_[static_cast<std::size_t>(side)][move];
        history = std::min(history + depth * depth, history_limit - 1);
    }

  private:
    void forget_killers() { killers_.fill({no_move, no_move}); }

    std::array<std::array<Move, 2>, P::max_plies + 2> killers_;
    std::array<std::array<int, P::actions>, 2> history_{};
};

}  // namespace fiedler
