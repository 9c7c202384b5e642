// Self-play for Descent: games by best-first search, whose trees are the samples (tree learning, Cohen-Solal 2020).
#pragma once

#include <exception>
#include <memory>

#include "core/joined_thread.hpp"
#include "learn/samples.hpp"
#include "search/best_first_tree.hpp"
#include "search/rollout.hpp"

namespace fiedler {

struct DescentPlayOptions {
    std::size_t workers = 1;         // threads
    std::uint64_t expansions = 500;  // of each search
    BestFirstOptions search{};
    bool replies = false;            // positions count by their best replies (ReplyValues)
    double greedy = 0.7;             // ordinal choice of the move: 1 plays the best one, 0 any
    int opening_plies = 20;          // a random opening has 0 .. this many uniform plies
    double opening_share = 0.8;      // of the games begin with one
    std::uint32_t least_visits = 4;  // of a state of the tree that becomes a sample,
    bool proven_states = true;       // or its value is proven
    double result_share = 0;         // of the game's result in the value of a state on its path
    double expert_share = 0;         // of the searches whose values are an expert's
    bool winners_only = false;       // an opponent plays one side of each game; the loser's searches give no samples
    std::uint64_t seed = 0;
};

struct DescentPlayStats {
    std::uint64_t games = 0, plies = 0, samples = 0, expansions = 0;
    std::uint64_t first_wins = 0, draws = 0;  // of the finished games
    std::uint64_t wins = 0, losses = 0;       // of the network against the opponent

    DescentPlayStats& operator+=(const DescentPlayStats& other) {
        games += other.games, plies += other.plies, samples += other.samples, expansions += other.expansions;
        first_wins += other.first_wins, draws += other.draws, wins += other.wins, losses += other.losses;
        return *this;
    }
};

// The networks of self-play: the one that learns, experts for a share of the searches, and an opponent, if any.
struct DescentNets {
    std::shared_ptr<const PatternNet> net;
    std::vector<std::shared_ptr<const PatternNet>> experts;
    std::shared_ptr<const PatternNet> opponent;
};

// One game after another. A game ends by the rules, or as soon as its root is proven.
template <HasPatterns P>
class DescentGame {
  public:
    using Sample = fiedler::Sample<P, Value>;

    DescentGame(const DescentPlayOptions& options, std::uint64_t seed)
        : options_(options), random_(seed), tree_{make_tree(), make_tree()} {}

    // Play one game; its samples go to `done`.
    void play(const DescentNets& nets, std::vector<Sample>& done, DescentPlayStats& stats) {
        const int opponent = nets.opponent ? static_cast<int>(random_.below(2)) : -1;
        std::array<std::vector<Sample>, 2> found;  // by the side whose search found them
        std::vector<Sample> path;
        P position = random_opening<P>(options_.opening_share, options_.opening_plies, random_);
        for (auto& tree : tree_) tree->clear();
        int result = 0;
        for (bool running = true; running;) {
            const int side = position.side();
            // Without an opponent both sides share a tree.
            BestFirstTree<P>& tree = *tree_[opponent >= 0 ? side : 0];
            tree.use(values(nets, side == opponent));
            tree.move_root(position);
            search(tree, stats);
            auto& samples = found[side];
            path.push_back({position, {tree.value()}});
            if (tree.proven()) {
                result = static_cast<int>(tree.value()) * (side ? -1 : 1);
                collect(tree, no_node, samples);
                break;
            }
            const std::uint32_t chosen = choose(tree);
            const Move move = tree.move(chosen);
            collect(tree, opponent >= 0 ? no_node : chosen, samples);
            if (opponent >= 0) tree.clear();  // so that its next search does not sample these states again
            position.play(move);
            ++stats.plies;
            running = position.outcome() == Outcome::running;
            if (!running) result = first_player_result(position);
        }
        finish(found, path, result, opponent, done, stats);
    }

  private:
    std::unique_ptr<BestFirstTree<P>> make_tree() const {
        return std::make_unique<BestFirstTree<P>>(nullptr, options_.search);
    }
    std::unique_ptr<Values<P>> values(const DescentNets& nets, bool of_opponent) {
        std::unique_ptr<Values<P>> found = std::make_unique<IncrementalValues<P>>(net(nets, of_opponent));
        if (options_.replies) found = std::make_unique<ReplyValues<P>>(std::move(found));
        return found;
    }
    std::shared_ptr<const PatternNet> net(const DescentNets& nets, bool of_opponent) {
        if (of_opponent) return nets.opponent;
        const bool expert = !nets.experts.empty() && random_.uniform() < options_.expert_share;
        return expert ? nets.experts[random_.below(static_cast<std::uint32_t>(nets.experts.size()))] : nets.net;
    }
    void search(BestFirstTree<P>& tree, DescentPlayStats& stats) const {
        for (std::uint64_t left = options_.expansions; left;) {
            const std::uint64_t done = tree.iterate();
            if (!done) break;
            stats.expansions += done;
            left -= std::min(left, done);
        }
    }
    // Ordinal choice (Cohen-Solal 2020, section 5): the best move with a probability that `greedy` gives, else the next
    // one likewise.
    std::uint32_t choose(const BestFirstTree<P>& tree) {
        const std::vector<std::uint32_t> ranked = tree.ranked();
        for (std::size_t i = 0; i + 1 < ranked.size(); ++i) {
            const double left = static_cast<double>(ranked.size() - i);
            if (random_.uniform() < options_.greedy * (left - 1) / left + 1 / left) return ranked[i];
        }
        return ranked.back();
    }
    void collect(const BestFirstTree<P>& tree, std::uint32_t kept, std::vector<Sample>& samples) const {
        tree.each_state(
            kept,
            [&](std::uint32_t visits, bool proven) {
                return visits >= options_.least_visits || (proven && options_.proven_states);
            },
            [&](const P& position, float value) { samples.push_back({position, {value}}); });
    }
    void finish(std::array<std::vector<Sample>, 2>& found, const std::vector<Sample>& path, int result, int opponent,
                std::vector<Sample>& done, DescentPlayStats& stats) {
        const std::size_t before = done.size();
        const auto dropped = [&](int side) {
            return options_.winners_only && opponent >= 0 && result && (result > 0) != (side == 0);
        };
        for (int side = 0; side < 2; ++side)
            if (!dropped(side)) done.insert(done.end(), found[side].begin(), found[side].end());
        if (options_.result_share > 0) {
            for (const Sample& root : path) {
                if (dropped(root.position.side())) continue;
                const float won = static_cast<float>(root.position.side() ? -result : result);
                const auto share = static_cast<float>(options_.result_share);
                done.push_back({root.position, {root.target.value + share * (won - root.target.value)}});
            }
        }
        ++stats.games;
        stats.samples += done.size() - before;
        stats.first_wins += result > 0;
        stats.draws += result == 0;
        if (opponent >= 0 && result) ++((result > 0) == (opponent == 1) ? stats.wins : stats.losses);
    }
    const DescentPlayOptions& options_;
    Random random_;
    std::array<std::unique_ptr<BestFirstTree<P>>, 2> tree_;
};

// The same seed, networks, settings and sequence of calls give the same samples.
template <HasPatterns P>
class DescentPlay {
  public:
    explicit DescentPlay(const DescentPlayOptions& options) : options_(options) {
        for (std::size_t i = 0; i < options_.workers; ++i)
            workers_.push_back(std::make_unique<Worker>(options_, hash_words(options.seed, i)));
    }

    // Play whole games until there are `wanted` new samples or more, and add them.
    DescentPlayStats play(const DescentNets& nets, std::size_t wanted, Samples<P, Value>& samples) {
        const std::size_t share = (wanted + workers_.size() - 1) / workers_.size();
        {
            std::vector<JoinedThread> threads;
            for (std::size_t i = 1; i < workers_.size(); ++i)
                threads.emplace_back([&, i] { workers_[i]->run(nets, share); });
            workers_[0]->run(nets, share);
        }
        DescentPlayStats stats;
        for (auto& worker : workers_)
            if (worker->failure) std::rethrow_exception(worker->failure);
        for (auto& worker : workers_) {
            for (const auto& sample : worker->done) samples.add(sample);
            stats += worker->stats;
        }
        return stats;
    }

  private:
    struct Worker {
        Worker(const DescentPlayOptions& options, std::uint64_t seed) : game(options, seed) {}

        void run(const DescentNets& nets, std::size_t share) {
            done.clear();
            stats = {};
            failure = nullptr;
            try {
                while (done.size() < share) game.play(nets, done, stats);
            } catch (...) {
                failure = std::current_exception();
            }
        }

        DescentGame<P> game;
        std::vector<Sample<P, Value>> done;
        DescentPlayStats stats;
        std::exception_ptr failure;
    };

    const DescentPlayOptions options_;
    std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace fiedler
