// Self-play for a network of cells: games of negamax, whose positions, and random ones near them, are samples with the
// values of searches.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <stdexcept>

#include "core/random.hpp"
#include "learn/samples.hpp"
#include "search/negamax.hpp"

namespace fiedler {

struct LabelPlayOptions {
    std::uint64_t nodes = 800;        // of a search that chooses a move
    std::uint64_t label_nodes = 400;  // of one that only gives a position near the game its value
    int neighbours = 2;               // such positions for each of the game
    int steps = 3;                    // each is 1 .. this many likely moves away
    double random_share = 0.12;       // of the moves of a game are likely ones, not the best
    int opening_plies = 9;            // an opening has 1 .. this many random plies,
    int opening_square = 9;           // in the middle square of this many cells a side,
    double balance = 0.3;             // and an expected score at most this far from one half
    std::size_t hash_mb = 2;          // of each search
    std::uint64_t seed = 0;
};

struct LabelPlayStats {
    std::uint64_t games = 0, plies = 0, samples = 0, nodes = 0;
};

// Samples are positions that a search evaluates (`quiet`): the values of others it finds by itself. Positions of games
// alone would not do: there every threat of a side that lets it stand has an answer, and the network would learn that
// threats do not matter.
template <HasCellPatterns P>
class LabelPlay {
  public:
    explicit LabelPlay(const LabelPlayOptions& options)
        : options_(options), random_(options.seed), player_({options.hash_mb, 1}), judge_({options.hash_mb, 1}) {}

    // From now on a network evaluates.
    void use(const std::shared_ptr<const CellNet>& net) {
        player_.use(net);
        judge_.use(net);
        player_.clear();
        judge_.clear();
    }

    // Play whole games until at least `wanted` samples are added.
    LabelPlayStats play(std::size_t wanted, Samples<P, Value>& samples) {
        LabelPlayStats stats;
        while (stats.samples < wanted) play_game(samples, stats);
        return stats;
    }

  private:
    void play_game(Samples<P, Value>& samples, LabelPlayStats& stats) {
        player_.clear();
        P position = opening(stats);
        while (position.outcome() == Outcome::running) {
            const SearchInfo found = search(player_, position, options_.nodes, stats);
            knowledge_.reset(position);
            if (knowledge_.quiet(position)) add(position, found.score, samples, stats);
            for (int i = 0; i < options_.neighbours; ++i) look_near(position, samples, stats);
            if (found.proven()) break;
            position.play(random_.uniform() < options_.random_share ? likely_move(position) : found.best);
            ++stats.plies;
        }
        ++stats.games;
    }

    // Throws std::runtime_error if none of many is about even.
    P opening(LabelPlayStats& stats) {
        constexpr int most_draws = 1000;
        for (int i = 0; i < most_draws; ++i) {
            P position;
            const int plies = 1 + static_cast<int>(random_.below(static_cast<unsigned>(options_.opening_plies)));
            for (int ply = 0; ply < plies && position.outcome() == Outcome::running; ++ply)
                position.play(central_move(position));
            if (position.outcome() != Outcome::running) continue;
            if (std::abs(search(player_, position, options_.nodes, stats).score - 0.5) <= options_.balance)
                return position;
        }
        throw std::runtime_error("none of 1,000 random openings is about even");
    }
    Move central_move(const P& position) {
        Moves<P> moves, central;
        position.moves(moves);
        for (const Move move : moves) {
            const int row = move / P::columns, column = move % P::columns;
            if (std::abs(2 * row - (P::rows - 1)) < options_.opening_square &&
                std::abs(2 * column - (P::columns - 1)) < options_.opening_square)
                central.push(move);
        }
        const Moves<P>& chosen = central.empty() ? moves : central;
        return chosen[random_.below(static_cast<unsigned>(chosen.size()))];
    }
    // One of the moves worth a search, an early one rather than a late one.
    Move likely_move(const P& position) {
        walker_.reset(position);
        Moves<P> moves;
        walker_.candidates(position, moves);
        const auto size = static_cast<unsigned>(moves.size());
        return moves[std::min(random_.below(size), random_.below(size))];
    }

    // A sample some likely moves away from a position of the game.
    void look_near(P position, Samples<P, Value>& samples, LabelPlayStats& stats) {
        const unsigned steps = 1 + random_.below(static_cast<unsigned>(options_.steps));
        for (unsigned i = 0; i < steps && position.outcome() == Outcome::running; ++i)
            position.play(likely_move(position));
        if (position.outcome() != Outcome::running) return;
        knowledge_.reset(position);
        if (!knowledge_.quiet(position)) return;
        add(position, search(judge_, position, options_.label_nodes, stats).score, samples, stats);
    }
    void add(const P& position, double score, Samples<P, Value>& samples, LabelPlayStats& stats) {
        samples.add({position, {static_cast<float>(2 * score - 1)}});
        ++stats.samples;
    }

    SearchInfo search(Negamax<P>& engine, const P& position, std::uint64_t nodes, LabelPlayStats& stats) {
        Limits limits;
        limits.nodes = nodes;
        const SearchInfo found = engine.search(position, limits, never_);
        stats.nodes += found.nodes;
        return found;
    }

    const LabelPlayOptions options_;
    Random random_;
    Negamax<P> player_, judge_;
    Knowledge<P> knowledge_, walker_;
    StopFlag never_;
};

}  // namespace fiedler
