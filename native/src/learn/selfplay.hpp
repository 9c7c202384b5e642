// Self-play: many games at once, each with its own tree, which submits one leaf at a time.
#pragma once

#include <exception>

#include "core/joined_thread.hpp"
#include "learn/samples.hpp"
#include "search/batcher.hpp"
#include "search/network_leaves.hpp"
#include "search/puct_tree.hpp"
#include "search/rollout.hpp"

namespace fiedler {

struct SelfPlayOptions {
    std::size_t games = 256;     // at once, in each worker
    std::size_t workers = 2;     // threads; the trees of one grow while the leaves of another are evaluated
    std::uint32_t full = 96;     // visits of the root in a full search, whose position is recorded
    std::uint32_t fast = 24;     // and in a fast one, which only finds a move (playout cap randomisation, Wu 2019)
    double full_share = 0.25;    // of the searches
    int opening_plies = 16;      // a random opening has 0 .. this many uniform plies
    double opening_share = 0.8;  // of the games begin with one
    double noise_alpha = 10;     // Dirichlet noise of full searches: sum of the alphas over the moves,
    double noise_share = 0.25;   // and its weight
    double temperature = 1;      // of the choice among visits in the first `temperature_plies` plies of a game,
    int temperature_plies = 20;
    double late_temperature = 0.3;  // and after them
    double c_puct = 1.5;
    double fpu_reduction = 0.2;
    Tactics tactics{};         // of the trees,
    double tactics_share = 1;  // in this share of the games; the others have none
    std::uint64_t seed = 0;
};

struct SelfPlayStats {
    std::uint64_t games = 0, plies = 0, samples = 0, simulations = 0;
    std::uint64_t first_wins = 0, draws = 0;  // of the finished games

    SelfPlayStats& operator+=(const SelfPlayStats& other) {
        games += other.games, plies += other.plies, samples += other.samples, simulations += other.simulations;
        first_wins += other.first_wins, draws += other.draws;
        return *this;
    }
};

// The records of self-play.
template <Position P>
using SearchSample = Sample<P, PolicyValue<P>>;
template <Position P>
using SearchSamples = Samples<P, PolicyValue<P>>;

// One game after another. A game ends by the rules, or as soon as its root is proven.
template <Position P>
class SelfPlayGame {
  public:
    SelfPlayGame(const SelfPlayOptions& options, std::uint64_t seed)
        : options_(options),
          random_(seed),
          tree_({.c_puct = options.c_puct, .fpu_reduction = options.fpu_reduction, .tactics = options.tactics}) {
        start();
    }

    // Play on until a leaf waits for the network and write its planes. Samples of games that end go to `done`.
    void run_to_leaf(float* planes, std::vector<SearchSample<P>>& done, SelfPlayStats& stats) {
        while (!leaf(planes, stats.simulations)) move_on(done, stats);
    }

    void answer(const float* policy, float* value) { tree_.answer(policy, value, random_); }

  private:
    bool leaf(float* planes, std::uint64_t& simulations) {
        if (noise_due_ && tree_.expanded() && !tree_.proven()) {
            tree_.add_noise(options_.noise_alpha, options_.noise_share, random_);
            noise_due_ = false;
        }
        const std::uint32_t target = full_ ? options_.full : options_.fast;
        return tree_.visits() < target && tree_.gather(1, target - tree_.visits(), planes, simulations);
    }

    // The search is over: record it, then play its move or end the game.
    void move_on(std::vector<SearchSample<P>>& done, SelfPlayStats& stats) {
        if (full_ || tree_.proven()) record();
        if (tree_.proven()) return finish(proven_result(), done, stats);
        const bool early = position_.ply() < options_.temperature_plies;
        position_.play(tree_.choose(early ? options_.temperature : options_.late_temperature, random_));
        ++stats.plies;
        if (position_.outcome() != Outcome::running) return finish(first_player_result(position_), done, stats);
        begin_search();
    }

    // Nothing is recorded when all moves looked at are proven to lose and others are not looked at yet.
    void record() {
        SearchSample<P> sample{.position = position_, .target = {.value = tree_.value()}};
        std::uint64_t most = 0;
        tree_.root_weights([&](Move, std::uint64_t visits) { most = std::max(most, visits); });
        if (!most) return;
        tree_.root_weights([&](Move move, std::uint64_t visits) {
            sample.target.visits[move] = static_cast<std::uint8_t>((255 * visits + most / 2) / most);
        });
        records_.push_back(sample);
    }

    int proven_result() const {
        const int value = static_cast<int>(tree_.value());
        return position_.side() == 0 ? value : -value;
    }

    void finish(int first_player, std::vector<SearchSample<P>>& done, SelfPlayStats& stats) {
        for (SearchSample<P>& sample : records_) {
            sample.target.result = static_cast<std::int8_t>(sample.position.side() == 0 ? first_player : -first_player);
            done.push_back(sample);
        }
        ++stats.games;
        stats.samples += records_.size();
        stats.first_wins += first_player > 0;
        stats.draws += first_player == 0;
        start();
    }

    void start() {
        records_.clear();
        tree_.clear();
        const bool without = options_.tactics_share < 1 && random_.uniform() >= options_.tactics_share;
        tree_.use(without ? Tactics{} : options_.tactics);
        position_ = random_opening<P>(options_.opening_share, options_.opening_plies, random_);
        begin_search();
    }

    void begin_search() {
        full_ = random_.uniform() < options_.full_share;
        noise_due_ = full_;
        tree_.move_root(position_);
    }

    const SelfPlayOptions& options_;
    Random random_;
    PuctTree<P, NetworkLeaves<P>> tree_;
    P position_;
    std::vector<SearchSample<P>> records_;
    bool full_ = false, noise_due_ = false;
};

// The same seed, network, settings and sequence of calls give the same samples.
template <Position P>
class SelfPlay {
  public:
    SelfPlay(std::shared_ptr<Batcher> batcher, const SelfPlayOptions& options)
        : batcher_(std::move(batcher)), options_(options) {
        for (std::size_t i = 0; i < options_.workers; ++i) workers_.push_back(std::make_unique<Worker>(options_, i));
    }

    // Play until there are `wanted` new samples or more and add them; unfinished games continue at the next call.
    // Throws EvaluationError, after which the object is useless.
    SelfPlayStats play(std::size_t wanted, SearchSamples<P>& samples) {
        const std::size_t share = (wanted + workers_.size() - 1) / workers_.size();
        {
            std::vector<JoinedThread> threads;
            for (auto& worker : workers_) threads.emplace_back([&] { worker->run(*batcher_, share); });
        }
        SelfPlayStats stats;
        for (auto& worker : workers_) {
            if (worker->failure) std::rethrow_exception(worker->failure);
            for (const SearchSample<P>& sample : worker->done) samples.add(sample);
            stats += worker->stats;
        }
        return stats;
    }

  private:
    struct Worker {
        Worker(const SelfPlayOptions& options, std::size_t number)
            : planes(options.games * planes_size<P>), policy(options.games * P::actions), values(options.games) {
            for (std::size_t i = 0; i < options.games; ++i)
                games.emplace_back(options, hash_words(options.seed, number, i));
        }

        void run(Batcher& batcher, std::size_t share) {
            done.clear();
            stats = {};
            try {
                Batcher::Client client(batcher);
                while (done.size() < share) step(client);
            } catch (...) {
                failure = std::current_exception();
            }
        }

        // One leaf of every game.
        void step(Batcher::Client& client) {
            for (std::size_t i = 0; i < games.size(); ++i)
                games[i].run_to_leaf(planes.data() + i * planes_size<P>, done, stats);
            client.evaluate(planes.data(), games.size(), policy.data(), values.data());
            for (std::size_t i = 0; i < games.size(); ++i)
                games[i].answer(policy.data() + i * P::actions, values.data() + i);
        }

        std::vector<SelfPlayGame<P>> games;
        std::vector<float> planes, policy, values;
        std::vector<SearchSample<P>> done;
        SelfPlayStats stats;
        std::exception_ptr failure;
    };

    std::shared_ptr<Batcher> batcher_;
    const SelfPlayOptions options_;
    std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace fiedler
