// UCT with several threads, each with a tree of its own (root parallelisation: Chaslot, Winands and van den Herik 2008,
// "Parallel Monte-Carlo Tree Search"), whose roots are kept in step.
#pragma once

#include <algorithm>
#include <atomic>
#include <limits>
#include <memory>
#include <vector>

#include "core/joined_thread.hpp"
#include "search/mcts_tree.hpp"
#include "search/proven_root.hpp"
#include "search/root_win.hpp"
#include "search/shared_root.hpp"

namespace fiedler {

template <Position P>
class Mcts {
  public:
    explicit Mcts(const MctsOptions& options) : options_(options) {
        const std::size_t bytes = std::max<std::size_t>(options.hash_mb, 1) << 20;
        for (std::size_t thread = 0; thread < options.threads; ++thread)
            trees_.push_back(std::make_unique<Tree>(options, bytes / options.threads));
        seed(options.seed);
    }

    // Forget the trees and start the random numbers anew.
    void clear() {
        for (auto& tree : trees_) tree->clear();
        seed(options_.seed);
    }
    void seed(std::uint64_t seed) {
        options_.seed = seed;
        for (std::size_t i = 0; i < trees_.size(); ++i) trees_[i]->seed(i ? hash_words(seed, i) : seed);
    }

    // Slots of the trees, including the few that wait for a node, and the bytes of each.
    std::size_t size() const {
        std::size_t sum = 0;
        for (const auto& tree : trees_) sum += tree->size();
        return sum;
    }
    static constexpr std::size_t bytes_per_node() { return sizeof(typename Tree::Node); }

    // Simulate until a limit, the stop flag, a proven root or 2^31 rollouts through it end it; `limits.nodes` counts
    // simulations of this call. With one thread, the same seed, limits (without time) and history of calls since
    // `clear` give the same tree.
    SearchInfo search(const P& position, const Limits& limits, const StopFlag& stop, const OnInfo& on_info = {}) {
        const Stopwatch watch(limits, stop);
        if (position.outcome() != Outcome::running) return {};
        tree().move_to(position, limits.seconds);
        Work work(watch);
        if (options_.solver && tree()[0].known() == unknown) prove_root(position, work);
        if (tree()[0].known() == unknown) simulate_together(position, work, on_info);
        return report(work);
    }

    // The statistics of the root's moves in the tree, most visited first, the move to play before others with as many
    // visits. A move that is proven lost has no visits.
    std::vector<RootMove> root_moves() const {
        std::vector<RootMove> moves;
        tree()[0].each_child(tree(), [&](std::uint32_t child) {
            const Node& node = tree()[child];
            moves.push_back({node.move(), node.visited(), score(node), std::nullopt});
        });
        sort_by_visits(moves);
        if (const std::uint32_t best = best_child(tree(), 0); best != no_node) {
            const auto place = std::ranges::find(moves, tree()[best].move(), &RootMove::move);
            if (place->visits == moves.front().visits) std::rotate(moves.begin(), place, place + 1);
        }
        return moves;
    }

  private:
    using enum Proof;
    using Tree = MctsTree<P>;
    using Node = typename Tree::Node;

    // The shared state of the threads of one search.
    struct Work {
        explicit Work(const Stopwatch& stopwatch) : watch(stopwatch) {}
        const Stopwatch& watch;
        SharedRoot<P> root;
        alignas(64) std::atomic<std::uint64_t> begun = 0;  // simulations
        alignas(64) std::atomic<bool> done = false;
    };

    Tree& tree() { return *trees_[0]; }
    const Tree& tree() const { return *trees_[0]; }

    // The most rollouts in a node's results, less those that up to 256 trees may be about to add.
    std::uint32_t most_visits() const {
        constexpr std::uint32_t trees = 256;
        return static_cast<std::uint32_t>(std::numeric_limits<std::int32_t>::max() / options_.leaf_rollouts) -
               trees * most_at_a_time;
    }
    bool finished(const Tree& tree, const Work& work, std::uint64_t own_simulations) const {
        // A random game of chess or of Go 19×19 takes up to a millisecond.
        constexpr std::uint64_t rollouts_between_looks_at_the_clock = P::max_plies > 400 ? 1 : 32;
        const std::uint64_t between = std::max<std::uint64_t>(
            rollouts_between_looks_at_the_clock / static_cast<unsigned>(options_.leaf_rollouts), 1);
        return tree[0].known() != unknown || tree[0].visited() >= most_visits() || work.watch.stopped() ||
               work.done.load(std::memory_order_relaxed) ||
               (own_simulations % between == 0 && work.watch.out_of_time());
    }

    // Simulations that a thread begins, and makes known to the others, in one go: a small part of what it has done, and
    // of what it may do.
    std::uint64_t batch(const Limits& limits, std::uint64_t own_simulations) const {
        constexpr std::uint64_t part = 8, parts_a_thread = 16;
        const std::uint64_t most = limits.nodes
                                       ? std::min(limits.nodes / (parts_a_thread * trees_.size()) + 1, most_at_a_time)
                                       : most_at_a_time;
        return std::min(own_simulations / part + 1, most);
    }

    // The work of one thread; the one with `on_info` reports it.
    void simulate_until_done(Tree& tree, RootPart<P, Tree>& root, Work& work, const OnInfo& on_info) {
        std::uint64_t next_info = 1000, own = 0;
        bool done = finished(tree, work, own), spent = false;
        while (!done && !spent) {
            const std::uint64_t taken = batch(work.watch.limits(), own);
            const std::uint64_t first = work.begun.fetch_add(taken, std::memory_order_relaxed);
            std::uint64_t ran = 0;
            while (ran < taken && !done && !(spent = work.watch.out_of_nodes(first + ran))) {
                tree.simulate();
                ++ran;
                done = finished(tree, work, ++own);
            }
            if (ran < taken) work.begun.fetch_sub(taken - ran, std::memory_order_relaxed);
            if (trees_.size() > 1) done |= root.exchange();
            if (on_info && first + ran >= next_info) {
                next_info *= 2;
                on_info(report(work));
            }
        }
        if (done) work.done = true;  // the others may have nodes left
    }

    void simulate_together(const P& position, Work& work, const OnInfo& on_info) {
        std::vector<JoinedThread> others;
        struct End {  // ends the other threads, also after an exception
            ~End() { done = true; }
            std::atomic<bool>& done;
        } end{work.done};
        RootPart<P, Tree> root(tree(), work.root);
        tree().simulate();  // what is reported has a move
        work.begun = 1;
        for (std::size_t i = 1; i < trees_.size(); ++i)
            others.emplace_back([&, i] {
                trees_[i]->move_to(position, work.watch.limits().seconds);
                RootPart<P, Tree> own(*trees_[i], work.root);
                simulate_until_done(*trees_[i], own, work, {});
            });
        simulate_until_done(tree(), root, work, on_info);
        others.clear();
        if (trees_.size() > 1) root.exchange();
        const auto proven = [](const auto& one) { return (*one)[0].known() != unknown; };
        if (const auto one = std::ranges::find_if(trees_, proven); one != trees_.end()) std::swap(trees_[0], *one);
    }

    void prove_root(const P& position, Work& work) {
        constexpr std::uint64_t most_nodes = 4000;
        const ForcedWin win = root_win(position, work.watch, most_nodes);
        if (!win.plies) return;
        tree().prove_root(win);
        work.begun = 1;
    }

    // Expected score of the player who moved into a node, 0 .. 1: the mean of the results so far.
    double mean_score(const Node& node) const {
        const double visits = static_cast<double>(node.visited()) * options_.leaf_rollouts;
        return visits > 0 ? (1 + node.results() / visits) / 2 : 0.5;
    }
    // The same, exact once it is proven.
    double score(const Node& node) const {
        const Proof known = node.known();
        return known == unknown ? mean_score(node) : (1 + proven_value(known)) / 2.0;
    }

    SearchInfo report(const Work& work) const {
        SearchInfo info;
        const std::uint64_t begun = work.begun.load(std::memory_order_relaxed);
        info.nodes = work.watch.limits().nodes ? std::min(begun, work.watch.limits().nodes) : begun;
        info.seconds = work.watch.seconds();
        for (std::uint32_t at = 0; tree()[at].children();) {
            at = best_child(tree(), at);
            info.pv.push_back(tree()[at].move());
        }
        info.depth = static_cast<int>(info.pv.size());
        info.best = info.pv.front();
        const Node& best = tree()[best_child(tree(), 0)];
        info.score = mean_score(best);
        report_proof(tree(), info);
        show_the_end(tree().root(), work.watch, info);
        return info;
    }

    // Simulations between two exchanges of a thread: a millisecond, of which they take less than a hundredth.
    static constexpr std::uint64_t most_at_a_time = 1024;

    MctsOptions options_;
    std::vector<std::unique_ptr<Tree>> trees_;  // of each thread; what the first one holds is reported
};

}  // namespace fiedler
