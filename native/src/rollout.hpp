// Rollouts: play from a position to the end of the game.
#pragma once

#include "bots.hpp"

namespace fiedler {

enum class RolloutPolicy : std::uint8_t { random, heuristic };

template <Position P>
Move uniform_move(const P& position, Random& random) {
    if constexpr (HasRandomMove<P>) {
        return position.random_move(random.next32());
    } else {
        Moves<P> moves;
        position.moves(moves);
        return moves[random.below(static_cast<std::uint32_t>(moves.size()))];
    }
}

// A heuristic rollout wins at once, else takes the cell on which the opponent would, else plays uniformly.
template <Position P>
Move heuristic_move(const P& position, Random& random) {
    if constexpr (HasThreats<P>) {
        if (const Move win = position.threat(position.side()); win != no_move) return win;
        if (const Move block = position.threat(position.side() ^ 1); block != no_move) return block;
    }
    return uniform_move(position, random);
}

// The result of the game as the first player sees it: 1, 0 or -1.
template <RolloutPolicy policy, Position P>
int rollout(const P& start, Random& random) {
    if constexpr (policy == RolloutPolicy::random && HasRollout<P>) {
        return start.rollout(random);
    } else if constexpr (policy == RolloutPolicy::heuristic && HasHeuristicRollout<P>) {
        return start.heuristic_rollout(random);
    } else {
        P position = start;
        while (position.outcome() == Outcome::running)
            position.play(policy == RolloutPolicy::random ? uniform_move(position, random)
                                                          : heuristic_move(position, random));
        return first_player_result(position);
    }
}

template <Position P>
int rollout(const P& position, Random& random, RolloutPolicy policy) {
    return policy == RolloutPolicy::random ? rollout<RolloutPolicy::random>(position, random)
                                           : rollout<RolloutPolicy::heuristic>(position, random);
}

// Counts of first player's wins, draws and losses over `count` rollouts, and the plies they took.
struct RolloutTally {
    std::uint64_t wins = 0, draws = 0, losses = 0;
};

template <Position P>
RolloutTally tally_rollouts(const P& position, std::uint64_t count, std::uint64_t seed, RolloutPolicy policy) {
    Random random(seed);
    RolloutTally tally;
    for (std::uint64_t i = 0; i < count; ++i) {
        const int result = rollout(position, random, policy);
        ++(result > 0 ? tally.wins : result < 0 ? tally.losses : tally.draws);
    }
    return tally;
}

}  // namespace fiedler
