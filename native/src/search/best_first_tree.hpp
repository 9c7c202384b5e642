// Unbounded best-first minimax (Korf and Chickering 1996) with completion, and Descent (Cohen-Solal 2020, "Learning to
// play two-player perfect-information games without knowledge"): a tree search guided by values alone. A node has the
// value of its best child. The choice of a child may lean on the mean of the values below it, too, and on few visits.
// Here the tree, and the parts of it in which threads work alone.
#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <limits>
#include <memory>
#include <mutex>
#include <vector>

#include "core/limits.hpp"
#include "core/random.hpp"
#include "search/arena.hpp"
#include "search/bounds.hpp"
#include "search/proven_root.hpp"
#include "search/tree.hpp"
#include "search/values.hpp"

namespace fiedler {

struct BestFirstOptions {
    double mean_share = 0.8;     // of the mean in the choice of a child; the rest is the child's minimax value
    double exploration = 0.3;    // weight of sqrt(log(visits of the node) / visits of the child) in it
    double visit_weight = 0.15;  // in the choice of the move: of the logarithm (base 2) of its visits
    bool to_the_end = false;     // Descent: each iteration goes on to an end of the game
    std::size_t hash_mb = 256;   // cap on the tree; a full tree ends the search
    std::size_t threads = 1;     // that work in one tree
};

// The tree with its iterations.
template <Position P>
class BestFirstTree {
  public:
    // What one thread needs to expand nodes.
    struct Worker {
        std::unique_ptr<Values<P>> values;
        std::array<P, P::max_moves> open{};  // the children of one expansion that have no result
        std::uint32_t next = 0, end = 0;     // slots that wait for this worker's nodes
        bool full = false;                   // there was no room for its last nodes

        // Before a search: its slots went with the last tree.
        void begin() { next = end = 0, full = false; }
    };

    // A part of the tree that one thread has taken: the subtree of a node, for some iterations. Its owner alone may
    // touch it, but for the node itself: that stays as it was, and the owner works on a copy.
    struct Part {
        std::uint64_t wanted = 0, expansions = 0;  // iterations to do; expansions done
        std::uint32_t iterations = 0;              // done
        float news = 0;                            // the sum of the values that came from below
        std::uint32_t copy = no_node;
        std::array<std::uint32_t, P::max_plies + 1> path{};  // from the root to the node
        std::size_t length = 0;
        P position{};  // of the node
    };

    BestFirstTree(std::unique_ptr<Values<P>> values, const BestFirstOptions& options)
        : own_{.values = std::move(values)},
          threads_(static_cast<std::uint32_t>(options.threads)),
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
    void use(std::unique_ptr<Values<P>> values) { own_.values = std::move(values); }

    std::size_t size() const { return nodes_.size(); }
    static constexpr std::size_t bytes_per_node() { return sizeof(Node); }
    const P& root() const { return root_; }
    bool proven() const { return nodes_[0].proof != unknown; }
    bool fast() const { return own_.values->fast(); }
    // The worker of the thread that searches alone.
    Worker& own() { return own_; }
    // Of the root for the side to move, -1 .. 1; exact once proven.
    float value() const { return -nodes_[0].value; }

    // Make `position` the root for a search of `seconds` (0: no limit), keeping its subtree if that pays.
    void move_root(const P& position, double seconds = 0) {
        if (!fiedler::move_root(nodes_, root_, position, seconds, 1) || (proven() && !nodes_[0].count)) forget();
        own_.begin();
        if (!nodes_[0].count && !proven()) settle(nodes_[0], root_);
        if (proven() && !nodes_[0].count) lead_on();
    }

    // One iteration: down to an unexpanded node, its expansion (in Descent all expansions to an end of the game), and
    // the new values back up. Returns the number of expansions, 0 if the root is proven or the tree is full. Throws
    // EvaluationError.
    std::uint64_t iterate() {
        if (proven() || own_.full) return 0;
        try {
            return iterate(own_, 0, root_).expansions;
        } catch (const EvaluationError&) {
            forget();  // the values above the new ones are not renewed
            throw;
        }
    }

    // Several threads: each takes a part, works in it, and gives it back. One thread at a time may take, give back or
    // read the tree, and the root must be expanded; any number may work meanwhile. A reader of the tree sees all of it
    // only while no part is taken.

    // False if every node that is left to enter is in a part that another thread has taken.
    bool take(Part& part) {
        const std::uint32_t small = nodes_[0].visits / (parts_a_thread * threads_);
        Exclusions closed;  // inner nodes without a child to enter
        for (;;) {
            part.position = root_;
            part.length = 0;
            std::uint32_t at = 0;
            for (;;) {
                part.path[part.length++] = at;
                const Node& node = nodes_[at];
                if (!node.count || (at != 0 && node.visits < small && !node.takers)) {
                    hold(part, at);
                    return true;
                }
                const std::uint32_t next = select_free(at, closed);
                if (next == no_node) break;
                at = next;
                part.position.play(nodes_[at].move());
            }
            if (at == 0) return false;
            closed.push_back(at);
        }
    }
    // Throws EvaluationError, after which the tree is useless: clear it.
    void work(Worker& worker, Part& part) {
        if (part.copy == no_node) part.copy = add(worker, 1);
        worker.full = part.copy == no_node;
        if (worker.full) return;
        nodes_[part.copy] = nodes_[part.path[part.length - 1]];
        while (part.iterations < part.wanted && nodes_[part.copy].proof == unknown) {
            const Iteration done = iterate(worker, part.copy, part.position);
            if (!done.expansions) break;
            part.expansions += done.expansions;
            part.news += done.news;
            ++part.iterations;
        }
    }
    void give_back(Part& part) {
        for (std::size_t i = 1; i + 1 < part.length; ++i) --nodes_[part.path[i]].takers;
        Node& node = nodes_[part.path[part.length - 1]];
        const float before = node.value;
        if (part.copy != no_node) node = nodes_[part.copy];
        node.takers = 0;
        if (part.iterations) back_up(part, before);
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
        report_proof(nodes_, info);
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
        std::uint8_t takers = 0;  // threads that have taken parts below, or `taken`

        static constexpr std::uint8_t taken = 255;

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

    using Exclusions = std::vector<std::uint32_t>;

    struct Iteration {
        std::uint64_t expansions = 0;
        float news = 0;  // the value that came from below, for the player who moved into the top
    };

    // A taken part has fewer visits than the root's divided by this and by the threads, and gets a few iterations for
    // its visits: the order of a search with one thread is roughly kept.
    static constexpr std::uint32_t parts_a_thread = 8, visits_an_iteration = 8, most_iterations = 32;

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
        expand(own_, 0, root_);
        assert(own_.full || nodes_[0].proof == settled.proof);
    }

    // New slots for `count` nodes; no_node if the tree is full. Several workers get their slots by the block, so that
    // they do not write side by side.
    std::uint32_t add(Worker& worker, std::uint32_t count) {
        if (threads_ == 1) return nodes_.has_room(count) ? nodes_.add(count) : no_node;
        if (worker.end - worker.next < count) {
            const std::lock_guard held(growing_);
            const std::uint32_t block = std::max(std::min(nodes_.capacity() / (64 * threads_), 1024u), count);
            if (!nodes_.has_room(block)) return no_node;
            worker.next = nodes_.add(block);
            worker.end = worker.next + block;
        }
        worker.next += count;
        return worker.next - count;
    }

    // Give a node its children; false if the tree is full.
    bool expand(Worker& worker, std::uint32_t at, const P& position) {
        Moves<P> moves;
        position.moves(moves);
        const auto count = static_cast<std::uint32_t>(moves.size());
        const std::uint32_t first = add(worker, count);
        worker.full = first == no_node;
        if (worker.full) return false;
        std::array<std::uint32_t, P::max_moves> slot;
        std::array<float, P::max_moves> found;
        std::size_t unsettled = 0;
        for (std::uint32_t i = 0; i < count; ++i) {
            Node& child = nodes_[first + i];
            child.by = static_cast<typename Node::Small>(moves[i]);
            P& after = worker.open[unsettled];
            after = position;
            after.play(moves[i]);
            settle(child, after);
            slot[unsettled] = first + i;
            unsettled += child.proof == unknown;
        }
        if (unsettled) worker.values->of(position, {worker.open.data(), unsettled}, found.data());
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

    // The child with the highest score among those with fits(slot); the first one if none fits.
    template <class Fits>
    std::uint32_t select(std::uint32_t at, Fits fits) const {
        const Node& node = nodes_[at];
        const float scale = exploration_ * SqrtLog::of(node.visits + 2);
        std::uint32_t best = node.first;
        float highest = -std::numeric_limits<float>::infinity();
        for (std::uint32_t i = node.first; i < node.first + node.count; ++i) {
            const Node& child = nodes_[i];
            const float value = child.value + mean_share_ * (child.mean - child.value);
            const float score = value + scale * InverseRoot::of(child.visits + 1);
            if (score > highest && fits(i)) highest = score, best = i;
        }
        return best;
    }
    std::uint32_t select(std::uint32_t at) const {
        return select(at, [&](std::uint32_t i) { return nodes_[i].proof == unknown; });
    }
    // The same among those that can be entered; no_node if there is none.
    std::uint32_t select_free(std::uint32_t at, const Exclusions& closed) const {
        const auto fits = [&](std::uint32_t i) {
            const Node& child = nodes_[i];
            return child.proof == unknown && child.takers < Node::taken - 1 &&
                   std::ranges::find(closed, i) == closed.end();
        };
        const std::uint32_t best = select(at, fits);
        return fits(best) ? best : no_node;
    }

    // One iteration below the node `top`, which is `position`. No expansions: the tree is full.
    Iteration iterate(Worker& worker, std::uint32_t top, P position) {
        std::array<std::uint32_t, P::max_plies + 1> path;
        std::array<float, P::max_plies + 1> before;
        std::size_t length = 0;
        Iteration done;
        for (std::uint32_t at = top;; at = select(at)) {
            if (at != top) position.play(nodes_[at].move());
            before[length] = nodes_[at].value;
            path[length++] = at;
            if (nodes_[at].count) continue;
            if (!expand(worker, at, position)) break;
            ++done.expansions;
            if (!to_the_end_ || nodes_[at].proof != unknown) break;
        }
        if (done.expansions) done.news = back_up(path.data(), before.data(), worker.full ? length - 1 : length);
        return done;
    }

    void hold(Part& part, std::uint32_t at) {
        for (std::size_t i = 1; i + 1 < part.length; ++i) ++nodes_[part.path[i]].takers;
        Node& node = nodes_[at];
        node.takers = Node::taken;
        part.wanted = fast() && !to_the_end_ ? std::clamp(node.visits / visits_an_iteration, 1u, most_iterations) : 1;
        part.iterations = 0;
        part.expansions = 0;
        part.news = 0;
    }

    // From the last node of a path, which has just been expanded, to the top. `before` has the value that each node of
    // the path had. Returns the value that comes from below into the top.
    float back_up(const std::uint32_t* path, const float* before, std::size_t length) {
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
        return -news;
    }
    // From the node of a part, whose value was `before`, to the root.
    void back_up(const Part& part, float before) {
        const auto count = static_cast<float>(part.iterations);
        float news = part.news;
        for (std::size_t i = part.length - 1; i-- > 0;) {
            const Node& child = nodes_[part.path[i + 1]];
            Node& node = nodes_[part.path[i]];
            const float value = node.value;
            if (node.proof == unknown) {
                if (child.proof != unknown) prove_by_children(node);
                if (node.proof == unknown) renew(node, before, child.value);
            }
            before = value;
            news = node.proof == unknown ? -news : count * node.value;
            node.visits += part.iterations;
            if (node.proof == unknown) node.mean += (news - count * node.mean) / static_cast<float>(node.visits + 1);
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

    Worker own_;  // of the thread that searches alone
    std::uint32_t threads_;
    float mean_share_, exploration_;
    double visit_weight_;
    bool to_the_end_;
    Arena<Node> nodes_;  // nodes_[0] is the root
    P root_;
    std::mutex growing_;  // of the tree, while several threads work
};

}  // namespace fiedler
