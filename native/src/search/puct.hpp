// PUCT (Silver et al. 2017): a tree search guided by a network's policy and value, with leaves evaluated in batches.
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "core/limits.hpp"
#include "core/random.hpp"
#include "search/batcher.hpp"
#include "search/proven_root.hpp"
#include "search/puct_options.hpp"
#include "search/puct_tree.hpp"
#include "search/root_win.hpp"

namespace fiedler {

// One player's search over a shared batcher. `source` is that of the evaluation.
template <Position P, class Evaluation>
class Puct {
  public:
    template <class... Source>
    Puct(std::shared_ptr<Batcher> batcher, const PuctOptions& options, const Source&... source)
        : batcher_(std::move(batcher)),
          options_(options),
          tree_(options, source...),
          defence_(for_defence(options), source...),
          random_(options.seed),
          planes_(options.batch * planes_size<P>),
          policy_(options.batch * P::actions),
          values_(options.batch) {
        tree_.reserve();
    }

    // Forget the trees and start the random numbers anew.
    void clear() {
        tree_.clear();
        defence_.clear();
        random_ = Random(options_.seed);
    }
    void seed(std::uint64_t seed) {
        options_.seed = seed;
        random_ = Random(seed);
    }
    std::size_t size() const { return tree_.size(); }
    static constexpr std::size_t bytes_per_node() { return Tree::bytes_per_node(); }
    std::vector<RootMove> root_moves() const { return tree_.root_moves(); }

    // Simulate until a limit, the stop flag or a proven root ends it; `limits.nodes` counts simulations of this call.
    // The same seed, network, limits (without time) and history of calls since `clear` give the same tree, for any
    // other searches of the batcher. Throws EvaluationError.
    SearchInfo search(const P& position, const Limits& limits, const StopFlag& stop, const OnInfo& on_info = {}) {
        const Stopwatch watch(limits, stop);
        if (position.outcome() != Outcome::running) return {};
        tree_.move_root(position, limits.seconds);
        std::uint64_t simulations = prove_root(watch), next_info = 128;
        grow(tree_, watch, simulations, [&] {
            if (simulations < next_info || !on_info) return;
            next_info = 2 * simulations;
            on_info(report(simulations, watch.seconds(), no_move));
        });
        Move move = tree_.choose(options_.temperature, random_);
        if (tree_.is_lost() && options_.tactics.any() && (limits.nodes || limits.seconds > 0)) {
            defence_.move_root(position, limits.seconds);
            grow(defence_, watch, simulations, [] {});
            if (!defence_.is_lost() && defence_.expanded()) move = defence_.choose(0, random_);
        }
        SearchInfo info = report(simulations, watch.seconds(), move);
        show_the_end(position, watch, info);
        return info;
    }

  private:
    using Tree = PuctTree<P, Evaluation>;

    // The most visits that a node can count: days of simulations, after which more of them change nothing.
    static constexpr std::uint32_t most_visits = 1u << 31;

    // Look for a win by threats at the root; it counts as one simulation.
    std::uint64_t prove_root(const Stopwatch& watch) {
        if constexpr (HasForcedWin<P>) {
            constexpr std::uint64_t most_nodes = 20000;
            if (!options_.tactics.threats || tree_.proven()) return 0;
            const ForcedWin win = root_win(tree_.root(), watch, most_nodes);
            if (win.plies) tree_.prove_root(win);
            return win.plies != 0;
        }
        return 0;
    }

    // Simulate until a limit or the stop flag ends it or the root is proven; `look` is called after each batch of
    // leaves.
    template <class Look>
    void grow(Tree& tree, const Stopwatch& watch, std::uint64_t& simulations, Look look) {
        Batcher::Client client(*batcher_);
        do {
            step(tree, client, watch.limits(), simulations);
            look();
        } while (!tree.proven() && tree.visits() < most_visits && !watch.stopped() &&
                 !watch.out_of_nodes(simulations) && !watch.out_of_time());
    }

    // One batch of rows for the network. Most simulations of some searches need no network, but their number is
    // bounded.
    void step(Tree& tree, Batcher::Client& client, const Limits& limits, std::uint64_t& simulations) {
        const std::uint64_t left = limits.nodes ? limits.nodes - simulations : Evaluation::between_looks;
        const std::uint64_t budget = std::min(left, Evaluation::between_looks);
        const std::size_t rows = tree.gather(options_.batch, budget, planes_.data(), simulations);
        if (!rows) return;
        ask(tree, client, rows);
        tree.answer(policy_.data(), values_.data(), random_);
    }

    void ask(Tree& tree, Batcher::Client& client, std::size_t rows) {
        try {
            client.evaluate(planes_.data(), rows, policy_.data(), values_.data());
        } catch (const EvaluationError&) {
            tree.clear();  // its leaves will not get an answer
            throw;
        }
    }

    // Of a lost position the network knows which moves make the win hard to find: their tree has no tactics.
    static PuctOptions for_defence(PuctOptions options) {
        options.tactics = {};
        options.hash_mb = std::max<std::size_t>(options.hash_mb / 4, 1);
        return options;
    }

    SearchInfo report(std::uint64_t simulations, double seconds, Move chosen) const {
        SearchInfo info = tree_.report(chosen);
        info.nodes = simulations;
        info.seconds = seconds;
        return info;
    }

    std::shared_ptr<Batcher> batcher_;
    PuctOptions options_;
    Tree tree_, defence_;
    Random random_;
    std::vector<float> planes_, policy_, values_;
};

}  // namespace fiedler
