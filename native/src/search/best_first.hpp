// Unbounded best-first minimax (Korf and Chickering 1996) with completion, and Descent (Cohen-Solal 2020, "Learning to
// play two-player perfect-information games without knowledge"): a tree search guided by values alone. A node has the
// value of its best child. The choice of a child may lean on the mean of the values below it, too, and on few visits.
#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "core/forced_line.hpp"
#include "core/limits.hpp"
#include "core/random.hpp"
#include "search/arena.hpp"
#include "search/bounds.hpp"
#include "search/tree.hpp"
#include "search/values.hpp"

namespace fiedler {

struct BestFirstOptions {
    double mean_share = 0.8;     // of the mean in the choice of a child; the rest is the child's minimax value
    double exploration = 0.3;    // weight of sqrt(log(visits of the node) / visits of the child) in it
    double visit_weight = 0.15;  // in the choice of the move: of the logarithm (base 2) of its visits
    bool to_the_end = false;     // Descent: each iteration goes on to an end of the game
    std::size_t hash_mb = 256;   // cap on the tree; a full tree ends the search
};

// The tree with its iterations.
template <Position P>
class BestFirstTree {
  public:
    BestFirstTree(std::unique_ptr<Values<P>> values, const BestFirstOptions& options)
        : values_(std::move(values)),
          mean_share_(static_cast<float>(options.mean_share)),
          exploration_(static_cast<float>(options.exploration)),
          visit_weight_(options.visit_weight),
          to_the_end_(options.to_the_end),
          nodes_(slots_within(options.hash_mb << 20, sizeof(Node))) {
        clear();
    }

    void clear() {
        root_ = P{};
        forget();
    }
    // Another source of values from now on; the values in the tree stay.
    void use(std::unique_ptr<Values<P>> values) { values_ = std::move(values); }

    std::size_t size() const { return nodes_.size(); }
    static constexpr std::size_t bytes_per_node() { return sizeof(Node); }
    const P& root() const { return root_; }
    bool proven() const { return nodes_[0].proof != unknown; }
    std::uint64_t expansions_between_looks_at_the_clock() const { return values_->fast() ? 16 : 1; }
    // Of the root for the side to move, -1 .. 1; exact once proven.
    float value() const { return -nodes_[0].value; }

    // Make `position` the root for a search of `seconds` (0: no limit), keeping its subtree if that pays.
    void move_root(const P& position, double seconds = 0) {
        if (!fiedler::move_root(nodes_, root_, position, seconds, 1) || (proven() && !nodes_[0].count)) forget();
        full_ = false;
        if (!nodes_[0].count && !proven()) settle(nodes_[0], root_);
        if (proven() && !nodes_[0].count) lead_on();
    }

    // One iteration: down to an unexpanded node, its expansion (in Descent all expansions to an end of the game), and
    // the new values back up. Returns the number of expansions, 0 if the root is proven or the tree is full. Throws
    // EvaluationError.
    std::uint64_t iterate() {
        if (proven() || full_) return 0;
        std::array<std::uint32_t, P::max_plies + 1> path;
        std::array<float, P::max_plies + 1> before;
        std::size_t length = 0;
        std::uint64_t expansions = 0;
        P position = root_;
        try {
            for (std::uint32_t at = 0;; at = select(at)) {
                if (at != 0) position.play(nodes_[at].move());
                before[length] = nodes_[at].value;
                path[length++] = at;
                if (nodes_[at].count) continue;
                if (!expand(at, position)) break;
                ++expansions;
                if (!to_the_end_ || nodes_[at].proof != unknown) break;
            }
        } catch (const EvaluationError&) {
            forget();  // the values above the new ones are not renewed
            throw;
        }
        if (expansions) back_up(path.data(), before.data(), full_ ? length - 1 : length);
        return expansions;
    }

    // The statistics of the root's moves, most visited first.
    std::vector<RootMove> root_moves() const {
        std::vector<RootMove> moves;
        nodes_[0].each_child(nodes_, [&](std::uint32_t i) {
            moves.push_back({nodes_[i].move(), nodes_[i].visits, (1 + nodes_[i].value) / 2, std::nullopt});
        });
        sort_by_visits(moves);
        return moves;
    }

    // The children of the root, the best first.
    std::vector<std::uint32_t> ranked() const { return ranked_children(0); }
    Move move(std::uint32_t node) const { return nodes_[node].move(); }

    // Everything but the effort.
    SearchInfo report() const {
        SearchInfo info;
        for (std::uint32_t at = 0; nodes_[at].count;) info.pv.push_back(nodes_[at = best(at)].move());
        info.depth = static_cast<int>(info.pv.size());
        if (!info.pv.empty()) info.best = info.pv.front();
        info.score = (1 + value()) / 2;
        const int plies = proven() && nodes_[0].proof != drawn ? plies_to_end(nodes_, 0) : 0;
        if (nodes_[0].proof == lost) info.score = 1, info.mate = (plies + 1) / 2;  // lost for who moved into it
        if (nodes_[0].proof == won) info.score = 0, info.mate = -std::max((plies + 1) / 2, 1);
        if (nodes_[0].proof == drawn) info.score = 0.5, info.proven_draw = true;
        return info;
    }

    // visit(position, value for its side to move) for the expanded nodes for which `wanted(visits, proven)` is true,
    // and for all their ancestors, too; not below the child `kept` of the root (no_node: all).
    template <class Wanted, class Visit>
    void each_state(std::uint32_t kept, Wanted wanted, Visit visit) const {
        walk(0, root_, kept, wanted, visit);
    }

  private:
    using enum Proof;

    struct Node {
        using Small = std::conditional_t<(P::actions <= 256 && P::max_moves <= 255), std::uint8_t, std::uint16_t>;

        float value = 0;           // for the player who moved into the node, -1 .. 1; exact once proven
        float mean = 0;            // of the values that came from below
        std::uint32_t visits = 0;  // iterations through the node
        std::uint32_t first = 0;   // child; plies to the end in a proven node without children
        Small by = 0, count = 0;   // the move that leads here; children, 0 until expanded
        Proof proof = unknown;

        Move move() const { return by; }
        Proof known() const { return proof; }
        std::uint32_t visited() const { return visits; }
        float tie_break() const { return value; }
        bool complete() const { return true; }
        bool leads_on() const { return count; }
        std::uint32_t rest() const { return first; }
        void prove(Proof found) {
            proof = found;
            value = mean = static_cast<float>(proven_value(found));
        }
        template <class Tree, class Visit>
        void each_child(const Tree&, Visit visit) const {
            for (std::uint32_t i = first; i < first + count; ++i) visit(i);
        }
        template <class Tree, class Visit>
        void each_block(const Tree&, Visit visit) const {
            if (count) visit(first, count);
        }
    };
    static_assert(P::max_moves <= std::numeric_limits<typename Node::Small>::max());

    void forget() {
        nodes_.resize(0);
        nodes_.add(1);
    }

    // The result of a new node, by the rules or by a win in the next ply.
    static void settle(Node& node, const P& position) {
        if (const Proof proof = proof_by_rules(position.outcome()); proof != unknown) return node.prove(proof);
        if constexpr (HasProof<P>) {
            if (const int plies = position.proven_plies()) {
                node.prove(plies > 0 ? lost : won);
                node.first = static_cast<std::uint32_t>(std::abs(plies));
            }
        } else if constexpr (HasThreats<P>) {
            if (position.threat(position.side()) != no_move) node.prove(lost), node.first = 1;
        }
    }
    // The children of a root that was settled before it had any: its moves are asked for.
    void lead_on() {
        if (root_.outcome() != Outcome::running) return;
        [[maybe_unused]] const Node settled = nodes_[0];
        nodes_[0] = Node{};
        expand(0, root_);
        assert(full_ || nodes_[0].proof == settled.proof);
    }

    // Give a node its children; false if the tree is full.
    bool expand(std::uint32_t at, const P& position) {
        Moves<P> moves;
        position.moves(moves);
        const auto count = static_cast<std::uint32_t>(moves.size());
        full_ = !nodes_.has_room(count);
        if (full_) return false;
        const std::uint32_t first = nodes_.add(count);
        std::array<std::uint32_t, P::max_moves> slot;
        std::array<float, P::max_moves> found;
        std::size_t unsettled = 0;
        for (std::uint32_t i = 0; i < count; ++i) {
            Node& child = nodes_[first + i];
            child.by = static_cast<typename Node::Small>(moves[i]);
            P& after = open_[unsettled];
            after = position;
            after.play(moves[i]);
            settle(child, after);
            slot[unsettled] = first + i;
            unsettled += child.proof == unknown;
        }
        if (unsettled) values_->of(position, {open_.data(), unsettled}, found.data());
        for (std::size_t i = 0; i < unsettled; ++i) nodes_[slot[i]].value = nodes_[slot[i]].mean = -found[i];
        Node& node = nodes_[at];
        node.first = first;
        node.count = static_cast<typename Node::Small>(count);
        prove_by_children(node);
        if (node.proof == unknown) node.value = -highest(node);
        return true;
    }
    float highest(const Node& node) const {
        float value = -1;
        for (std::uint32_t i = node.first; i < node.first + node.count; ++i) value = std::max(value, nodes_[i].value);
        return value;
    }

    // The unproven child with the highest score.
    std::uint32_t select(std::uint32_t at) const {
        const Node& node = nodes_[at];
        const float scale = exploration_ * SqrtLog::of(node.visits + 2);
        std::uint32_t best = node.first;
        float highest = -std::numeric_limits<float>::infinity();
        for (std::uint32_t i = node.first; i < node.first + node.count; ++i) {
            const Node& child = nodes_[i];
            const float value = child.value + mean_share_ * (child.mean - child.value);
            const float score = value + scale * InverseRoot::of(child.visits + 1);
            if (score > highest && child.proof == unknown) highest = score, best = i;
        }
        return best;
    }

    // From the last node of a path, which has just been expanded, to the root. `before` has the value that each node of
    // the path had.
    void back_up(const std::uint32_t* path, const float* before, std::size_t length) {
        float news = nodes_[path[length - 1]].value;
        bool child_proven = false;
        for (std::size_t i = length; i-- > 0; news = -news) {
            Node& node = nodes_[path[i]];
            if (i + 1 < length && node.proof == unknown) {
                if (child_proven) prove_by_children(node);
                if (node.proof == unknown) renew(node, before[i + 1], nodes_[path[i + 1]].value);
            }
            child_proven = node.proof != unknown;
            if (child_proven) news = node.value;
            ++node.visits;
            if (!child_proven) node.mean += (news - node.mean) / static_cast<float>(node.visits + 1);
        }
    }
    void prove_by_children(Node& node) {
        if (const Proof proof = proof_by_children(nodes_, node); proof != unknown) node.prove(proof);
    }
    // The value of a node after that of one of its children has changed.
    void renew(Node& node, float child_before, float child_now) {
        const float best = -node.value;
        if (child_now >= best) {
            node.value = -child_now;
        } else if (child_before >= best) {
            node.value = -highest(node);
        }
    }

    // The children of a node as choices of a move, the best first. In a decided game the quickest win or the longest
    // loss; else by value and visits, where a proven draw counts as visited as often as any.
    std::vector<std::uint32_t> ranked_children(std::uint32_t at) const {
        struct Choice {
            std::uint32_t node;
            double rank;
        };
        std::vector<Choice> choices;
        std::uint32_t most = 0;
        nodes_[at].each_child(nodes_, [&](std::uint32_t i) { most = std::max(most, nodes_[i].visits); });
        const Proof end = nodes_[at].proof;
        nodes_[at].each_child(nodes_, [&](std::uint32_t i) {
            constexpr double decided = 1e6;
            const Node& child = nodes_[i];
            double rank = 0;
            if (child.proof == won) {
                rank = decided - (end == lost ? plies_to_end(nodes_, i) : 0);
            } else if (child.proof == lost) {
                rank = (end == won ? plies_to_end(nodes_, i) : 0) - decided;
            } else {
                const std::uint32_t visits = child.proof == drawn ? most : child.visits;
                rank = child.value + visit_weight_ * std::log2(1.0 + visits);
            }
            choices.push_back({i, rank});
        });
        std::ranges::stable_sort(choices, std::greater(), &Choice::rank);
        std::vector<std::uint32_t> sorted;
        for (const Choice& choice : choices) sorted.push_back(choice.node);
        return sorted;
    }
    std::uint32_t best(std::uint32_t at) const { return ranked_children(at).front(); }

    template <class Wanted, class Visit>
    void walk(std::uint32_t at, const P& position, std::uint32_t kept, Wanted& wanted, Visit& visit) const {
        const Node& node = nodes_[at];
        if (!node.count || (at != 0 && !wanted(node.visits, node.proof != unknown))) return;
        visit(position, -node.value);
        for (std::uint32_t i = node.first; i < node.first + node.count; ++i) {
            if (i == kept || !nodes_[i].count) continue;
            P child = position;
            child.play(nodes_[i].move());
            walk(i, child, kept, wanted, visit);
        }
    }

    std::unique_ptr<Values<P>> values_;
    float mean_share_, exploration_;
    double visit_weight_;
    bool to_the_end_, full_ = false;
    Arena<Node> nodes_;  // nodes_[0] is the root
    P root_;
    std::array<P, P::max_moves> open_;  // the children of one expansion that have no result
};

// One player's search.
template <Position P>
class BestFirst {
  public:
    BestFirst(std::unique_ptr<Values<P>> values, const BestFirstOptions& options) : tree_(std::move(values), options) {}

    void clear() { tree_.clear(); }
    void seed(std::uint64_t) {}  // nothing is random
    std::size_t size() const { return tree_.size(); }
    static constexpr std::size_t bytes_per_node() { return BestFirstTree<P>::bytes_per_node(); }
    std::vector<RootMove> root_moves() const { return tree_.root_moves(); }

    // Iterate until a limit, the stop flag, a proven root or a full tree ends it; `limits.nodes` counts expansions of
    // this call. The same values, limits (without time) and history of calls since `clear` give the same tree. Throws
    // EvaluationError.
    SearchInfo search(const P& position, const Limits& limits, const StopFlag& stop, const OnInfo& on_info = {}) {
        const Stopwatch watch(limits, stop);
        if (position.outcome() != Outcome::running) return {};
        tree_.move_root(position, limits.seconds);
        std::uint64_t expansions = 0, next_info = 1000;
        for (std::uint64_t iteration = 1;; ++iteration) {
            const std::uint64_t done = tree_.iterate();
            expansions += done;
            if (!done || watch.stopped() || watch.out_of_nodes(expansions)) break;
            if (iteration % tree_.expansions_between_looks_at_the_clock() == 0 && watch.out_of_time()) break;
            if (on_info && expansions >= next_info) {
                next_info *= 2;
                on_info(report(expansions, watch));
            }
        }
        SearchInfo info = report(expansions, watch);
        if (info.mate) show_the_end(info, watch);
        return info;
    }

  private:
    SearchInfo report(std::uint64_t expansions, const Stopwatch& watch) const {
        SearchInfo info = tree_.report();
        info.nodes = expansions;
        info.seconds = watch.seconds();
        return info;
    }
    // The tree ends where a game is decided in the next ply; the line continues.
    void show_the_end(SearchInfo& info, const Stopwatch& watch) const {
        constexpr std::uint64_t nodes = 4000;
        const int side = tree_.root().side(), plies = 2 * std::abs(*info.mate) - (*info.mate > 0);
        finish_line(tree_.root(), *info.mate > 0 ? side : 1 - side, plies, nodes, watch, info.pv);
    }

    BestFirstTree<P> tree_;
};

}  // namespace fiedler
