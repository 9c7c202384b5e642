// UCT (Kocsis and Szepesvári 2006): UCB1 selection, one rollout a simulation, proven results backed up (MCTS-Solver,
// Winands, Björnsson and Saito 2008), the tree kept between moves.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>
#include <vector>

#include "limits.hpp"
#include "rollout.hpp"
#include "tree.hpp"

namespace fiedler {

struct MctsOptions {
    double c = 1.0;  // exploration, for results in -1 .. 1
    RolloutPolicy rollout = RolloutPolicy::random;
    std::size_t hash_mb = 64;  // cap on the tree; when it is full the tree stops growing, the search goes on
    std::uint64_t seed = 0;
    std::size_t threads = 1;
};

template <Position P>
class Mcts {
  public:
    explicit Mcts(const MctsOptions& options)
        : options_(options), capacity_(std::max<std::size_t>(options.hash_mb, 1) * (1u << 20) / sizeof(Node)) {
        nodes_.reserve(capacity_);  // address space: memory is taken as the tree grows
        clear();
    }

    // Forget the tree and start the random numbers anew.
    void clear() {
        nodes_.assign(1, Node{});
        root_ = P{};
        random_ = Random(options_.seed);
    }
    void seed(std::uint64_t seed) {
        options_.seed = seed;
        random_ = Random(seed);
    }

    // Nodes in the tree and their cost.
    std::size_t size() const { return nodes_.size(); }
    static constexpr std::size_t bytes_per_node() { return sizeof(Node); }

    // Simulate until a limit, the stop flag, a proven root or 2^31 - 1 visits of it end it; `limits.nodes` counts
    // simulations of this call.
    // The same seed, limits (without time) and history of calls since `clear` give the same tree.
    SearchInfo search(const P& position, const Limits& limits, const StopFlag& stop, const OnInfo& on_info = {}) {
        const Stopwatch watch(limits, stop);
        SearchInfo info;
        if (position.outcome() != Outcome::running) return info;
        move_root(nodes_, root_, position, limits.seconds);
        std::uint64_t simulations = 0, next_info = 1000;
        expand(0, root_);
        while (!finished(watch, simulations)) {
            simulate();
            if (++simulations == next_info && on_info) {
                next_info *= 2;
                on_info(report(simulations, watch.seconds()));
            }
        }
        return report(simulations, watch.seconds());
    }

  private:
    using enum Proof;

    // 16 bytes; children lie side by side in the arena.
    struct Node {
        std::uint32_t visits = 0;
        std::int32_t score = 0;   // wins minus losses of the player who moved into the node
        std::uint32_t first = 0;  // index of the first child
        std::uint8_t move = 0;
        std::uint8_t count = 0;  // number of children; 0 until expanded
        Proof proof = unknown;

        int tie_break() const { return 0; }
    };
    static_assert(sizeof(Node) == 16 && P::actions <= 256 && P::max_moves <= 255);

    // A node holds no more: days of simulations, after which more of them change nothing.
    static constexpr std::uint32_t most_visits = std::numeric_limits<std::int32_t>::max();

    bool finished(const Stopwatch& watch, std::uint64_t simulations) const {
        constexpr std::uint64_t simulations_between_looks_at_the_clock = 32;
        return nodes_[0].proof != unknown || nodes_[0].visits == most_visits || watch.stopped() ||
               watch.out_of_nodes(simulations) ||
               (simulations % simulations_between_looks_at_the_clock == 0 && watch.out_of_time());
    }

    // One simulation: down to a leaf, a rollout, and back up.
    void simulate() {
        std::array<std::uint32_t, P::max_plies + 1> path;
        std::size_t length = 0;
        P position = root_;
        std::uint32_t at = 0;
        path[length++] = at;
        while (nodes_[at].proof == unknown && (nodes_[at].count || (nodes_[at].visits && expand(at, position)))) {
            at = select(at);
            position.play(nodes_[at].move);
            path[length++] = at;
            if (!nodes_[at].visits) nodes_[at].proof = proof_by_rules(position.outcome());
        }
        const int mover = position.side() ^ 1;
        back_up(path.data(), length, value_for_mover(nodes_[at], position, mover));
    }

    // The result of this simulation for the player who moved into the leaf.
    int value_for_mover(const Node& leaf, const P& position, int mover) {
        if (leaf.proof != unknown) return proven_value(leaf.proof);
        const int result = rollout(position, random_, options_.rollout);
        return mover == 0 ? result : -result;
    }

    void back_up(const std::uint32_t* path, std::size_t length, int value) {
        bool child_proven = false;
        for (std::size_t i = length; i-- > 0; value = -value) {
            Node& node = nodes_[path[i]];
            if (child_proven && node.proof == unknown) node.proof = proof_by_children(nodes_, node);
            child_proven = node.proof != unknown;
            if (child_proven) value = proven_value(node.proof);
            ++node.visits;
            node.score += value;
        }
    }

    // Give the node its children, in random order so that first visits are fair. False when the arena is full.
    bool expand(std::uint32_t at, const P& position) {
        if (nodes_[at].count) return true;
        Moves<P> moves;
        position.moves(moves);
        if (moves.empty() || nodes_.size() + moves.size() > capacity_) return false;
        for (std::size_t i = moves.size(); i > 1; --i)
            std::swap(moves[i - 1], moves[random_.below(static_cast<std::uint32_t>(i))]);
        nodes_[at].first = static_cast<std::uint32_t>(nodes_.size());
        nodes_[at].count = static_cast<std::uint8_t>(moves.size());
        for (const Move move : moves) nodes_.push_back({.move = static_cast<std::uint8_t>(move)});
        return true;
    }

    // The child with the highest upper confidence bound that is not proven lost; unvisited ones first. A proven draw
    // keeps its place among them. The node is unproven, so there is such a child.
    std::uint32_t select(std::uint32_t at) const {
        const Node& parent = nodes_[at];
        const float log_visits = std::log(static_cast<float>(parent.visits + 1));
        const float c = static_cast<float>(options_.c);
        std::uint32_t best = parent.first;
        float highest = -std::numeric_limits<float>::infinity();
        for (std::uint32_t i = parent.first; i < parent.first + parent.count; ++i) {
            const Node& child = nodes_[i];
            if (!child.visits) return i;
            if (child.proof == lost) continue;
            const float visits = static_cast<float>(child.visits);
            const float bound = static_cast<float>(child.score) / visits + c * std::sqrt(log_visits / visits);
            if (bound > highest) highest = bound, best = i;
        }
        return best;
    }

    SearchInfo report(std::uint64_t simulations, double seconds) const {
        SearchInfo info;
        info.nodes = simulations;
        info.seconds = seconds;
        for (std::uint32_t at = 0; nodes_[at].count && (at == 0 || nodes_[at].visits);) {
            at = best_child(nodes_, at);
            info.pv.push_back(nodes_[at].move);
        }
        info.depth = static_cast<int>(info.pv.size());
        const Node& root = nodes_[0];
        const Node& best = nodes_[best_child(nodes_, 0)];
        info.best = best.move;
        info.score = best.visits ? (1 + static_cast<double>(best.score) / best.visits) / 2 : 0.5;
        if (root.proof == lost) info.score = 1, info.mate = (info.depth + 1) / 2;  // lost for who moved into the root
        if (root.proof == won) info.score = 0, info.mate = -std::max((info.depth + 1) / 2, 1);
        if (root.proof == drawn) info.score = 0.5, info.proven_draw = true;
        return info;
    }

    MctsOptions options_;
    std::size_t capacity_;  // nodes
    Tree<Node> nodes_;      // nodes_[0] is the root
    P root_;
    Random random_;
};

}  // namespace fiedler
