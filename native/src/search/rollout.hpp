// Rollouts: play from a position to the end of the game.
#pragma once

#include "search/bots.hpp"

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

// A running position to begin self-play: in a `share` of the cases after 0 .. `plies` uniformly random plies, else the
// start of the game.
template <Position P>
P random_opening(double share, int plies, Random& random) {
    for (;;) {
        P position;
        const bool drawn = random.uniform() < share;
        int left = drawn ? static_cast<int>(random.below(static_cast<std::uint32_t>(plies + 1))) : 0;
        for (; left > 0 && position.outcome() == Outcome::running; --left)
            position.play(uniform_move(position, random));
        if (position.outcome() == Outcome::running) return position;
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

// The result of the game for the first player: 1, 0 or -1.
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

// The kind of the rollouts of a tally.
struct RolloutOptions {
    RolloutPolicy policy = RolloutPolicy::random;
    unsigned side_by_side = 1;  // or 16, of games that have it
};

// Counts of first player's wins, draws and losses.
struct RolloutTally {
    std::uint64_t wins = 0, draws = 0, losses = 0;

    void add(int result) { ++(result > 0 ? wins : result < 0 ? losses : draws); }
};

// Throws std::invalid_argument for options that the game does not have.
template <Position P>
void check_rollouts(const RolloutOptions& options) {
    if (options.side_by_side == 1) return;
    if (options.side_by_side != 16)
        throw std::invalid_argument("side_by_side: expected 1 or 16, got " + std::to_string(options.side_by_side));
    if (!HasWideRollout<P>)
        throw std::invalid_argument("side_by_side: " + std::string(P::id) + " has no rollouts side by side");
    if (options.policy != RolloutPolicy::random)
        throw std::invalid_argument("side_by_side: only random rollouts are played side by side");
}

template <Position P>
RolloutTally tally_rollouts(const P& position, std::uint64_t count, std::uint64_t seed, const RolloutOptions& options) {
    check_rollouts<P>(options);
    Random random(seed);
    RolloutTally tally;
    if constexpr (HasWideRollout<P>) {
        if (options.side_by_side == 16)
            for (; count >= 16; count -= 16)
                for (const int result : position.results16(random)) tally.add(result);
    }
    for (std::uint64_t i = 0; i < count; ++i) tally.add(rollout(position, random, options.policy));
    return tally;
}

}  // namespace fiedler
