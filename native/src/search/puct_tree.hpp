// The tree of PUCT: selection, proofs and values. Its leaves are evaluated elsewhere.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "core/knowledge.hpp"
#include "core/limits.hpp"
#include "core/random.hpp"
#include "search/proven_root.hpp"
#include "search/puct_node.hpp"
#include "search/puct_options.hpp"
#include "search/solve.hpp"
#include "search/tree.hpp"

namespace fiedler {

// A tree and the evaluation of its leaves: NetworkLeaves or CellLeaves. The members of an evaluation:
//
//     Evaluation(options, source ...)      the source is that of the tree's constructor
//     reset(root)                          the next simulations begin here; nothing waits for the network
//     begin()                              a simulation begins at the root
//     follow(leaf, visits, move, planes)   it leaves its present end, a node with `visits`, by `move`
//     about(leaf)                          the game's knowledge about the present end
//     threat_positions(wanted)             positions of the search by threats at a new node
//     evaluate(tree, leaf, planes)         backs up a value, or lets the leaf wait; false, with nothing done, if it
//                                          already waits
//     rows()                               rows of planes that wait for the network
//     due(wanted)                          rows of them that need an answer now
//     answer(tree, policy, values, random) backs up the answers of the network
//     between_looks                        simulations between two looks at the clock
template <Position P, class Evaluation>
class PuctTree {
  public:
    using Leaf = PuctLeaf<P>;

    template <class... Source>
    explicit PuctTree(const PuctOptions& options, const Source&... source)
        : c_(static_cast<float>(options.c_puct)),
          fpu_(static_cast<float>(options.fpu_reduction)),
          tactics_(options.tactics),
          capacity_(slots_within(std::max<std::size_t>(options.hash_mb, 1) << 20, sizeof(Node))),
          evaluation_(options, source...) {
        clear();
    }

    void clear() {
        nodes_.assign(1, Node{});
        root_ = P{};
        evaluation_.reset(root_);
        solved_.reset();
    }

    // From the next clear() on.
    void use(const Tactics& tactics) { tactics_ = tactics; }

    std::size_t size() const { return nodes_.size(); }
    static constexpr std::size_t bytes_per_node() { return sizeof(Node); }
    std::uint32_t visits() const { return nodes_[0].visits; }
    bool proven() const { return nodes_[0].proof != unknown; }
    // Whether the side to move at the root loses by force.
    bool is_lost() const { return nodes_[0].proof == won; }
    bool expanded() const { return nodes_[0].count != 0; }
    const P& root() const { return root_; }
    // Mean value of the root for the side to move, -1 .. 1; exact once proven.
    float value() const { return -nodes_[0].mean; }

    // Make `position` the root for a search of `seconds` (0: no limit), keeping its subtree if that pays.
    void move_root(const P& position, double seconds = 0) {
        const bool kept = fiedler::move_root(nodes_, root_, position, seconds, 1);
        const bool answered = !proven() || expanded();  // a proof by threats leaves the moves of the loser out
        if (!kept || !answered) nodes_.assign(1, Node{});
        evaluation_.reset(root_);
    }

    // Make the root a node that is won by force for its side to move.
    void prove_root(const ForcedWin& win) {
        nodes_.assign(1, Node{});
        lead_to(0, win);
    }

    // Make room for the largest tree at once: address space, the memory is taken as the tree grows.
    void reserve() { nodes_.reserve(capacity_); }

    // Run simulations until `wanted` rows wait for the network, `budget` simulations are begun, the root is proven, or
    // the next leaf is one that waits already. Writes their planes one after the other and adds the simulations to
    // `count`; returns the number of rows that need an `answer` before the next call.
    std::size_t gather(std::size_t wanted, std::uint64_t budget, float* planes, std::uint64_t& count) {
        for (; budget && evaluation_.rows() < wanted && !proven(); --budget, ++count)
            if (!simulate(planes)) break;
        return evaluation_.due(wanted);
    }

    // The network's logits (P::actions a row) and values (-1 .. 1, side to move) for the rows of the last `gather`.
    void answer(const float* policy, float* values, Random& random) {
        evaluation_.answer(*this, policy, values, random);
    }

    // Mix Dirichlet noise into the root's priors: `alpha` is the sum over the moves, `share` the weight of the noise.
    void add_noise(double alpha, double share, Random& random) {
        const Node root = nodes_[0];
        std::array<double, P::max_moves> noise;
        double sum = 0;
        for (unsigned i = 0; i < root.count; ++i) sum += noise[i] = random_gamma(alpha / root.count, random);
        if (sum <= 0) return;
        for (unsigned i = 0; i < root.count; ++i) {
            float& prior = nodes_[root.first + i].prior;
            prior = static_cast<float>((1 - share) * prior + share * noise[i] / sum);
        }
    }

    // Weight of each root move, ascending by move: its visits; 0 for moves proven worse than the root.
    template <class Visit>
    void root_weights(Visit visit) const {
        const Node& root = nodes_[0];
        for (std::uint32_t i = root.first; i < root.first + root.count; ++i)
            visit(nodes_[i].move(), worse_than_root(nodes_[i]) ? 0u : std::max(nodes_[i].visits, 1u * proven()));
    }

    // The root's move: a proven best one, else drawn from visits^(1 / temperature), 0 being the most visited.
    Move choose(double temperature, Random& random) const {
        if (temperature <= 0 || proven()) return nodes_[best_child(nodes_, 0)].move();
        std::array<double, P::actions> weight{};
        double most = 1, sum = 0;
        root_weights([&](Move, std::uint32_t visits) { most = std::max<double>(most, visits); });
        root_weights(
            [&](Move move, std::uint32_t visits) { sum += weight[move] = std::pow(visits / most, 1 / temperature); });
        double left = random.uniform() * sum;
        for (std::size_t move = 0; move < P::actions; ++move)
            if ((left -= weight[move]) < 0) return static_cast<Move>(move);
        return nodes_[best_child(nodes_, 0)].move();
    }

    // The statistics of the root's moves, most visited first.
    std::vector<RootMove> root_moves() const {
        std::vector<RootMove> moves;
        for (std::uint32_t i = nodes_[0].first; i < nodes_[0].first + nodes_[0].count; ++i) {
            const Node& node = nodes_[i];
            const bool known = node.visits || node.proof != unknown;
            moves.push_back({node.move(), node.visits, (1 + (known ? node.mean : value())) / 2, node.prior});
        }
        sort_by_visits(moves);
        return moves;
    }

    // Everything but the effort: score, line and proof, the line beginning with `first` (no_move: with the best move).
    SearchInfo report(Move first = no_move) const {
        SearchInfo info;
        std::uint32_t at = 0;
        if (first != no_move) info.pv.push_back(first), at = child_of_root(first);
        while (at != no_node && nodes_[at].count && (at == 0 || nodes_[at].visits || nodes_[at].proof != unknown))
            info.pv.push_back(nodes_[at = best_child(nodes_, at)].move());
        info.depth = static_cast<int>(info.pv.size());
        info.score = (1 + value()) / 2;
        if (!info.pv.empty()) {
            const std::uint32_t played = child_of_root(info.best = info.pv.front());
            if (played != no_node && nodes_[played].visits) info.score = (1 + nodes_[played].mean) / 2;
        }
        report_proof(nodes_, info);
        return info;
    }

    // The rest is for the evaluation.

    // Find the moves that the leaf gets as children, `most` at most but every reply to a threat: all, or those among
    // which one is best by the game's knowledge.
    void find_moves(Leaf& leaf, std::size_t most) {
        choices(leaf);
        leaf.width = leaf.moves.size() <= most || is_forced(leaf) ? leaf.moves.size() : most;
    }

    // Let a leaf wait: it counts as lost meanwhile. False, and nothing done, if it waits already.
    bool lend(const Leaf& leaf) {
        if (nodes_[leaf.node()].in_flight) return false;
        for (std::size_t i = 0; i < leaf.length; ++i) ++nodes_[leaf.path[i]].in_flight;
        return true;
    }
    void take_back(const Leaf& leaf) {
        for (std::size_t i = 0; i < leaf.length; ++i) --nodes_[leaf.path[i]].in_flight;
    }

    // Give the leaf its likeliest children, with the softmax over their logits as priors; not if the arena is full.
    void expand(const Leaf& leaf, const float* logits) {
        const std::uint32_t at = leaf.node();
        const std::size_t count = leaf.moves.size(), first = nodes_.size();
        if (first + leaf.width > capacity_) return;
        std::array<float, P::max_moves> of_move;
        for (std::size_t i = 0; i < count; ++i) of_move[i] = logits[leaf.moves[i]];
        nodes_.resize(first + leaf.width);
        nodes_[at].first = static_cast<std::uint32_t>(first);
        nodes_[at].count = static_cast<decltype(nodes_[at].count)>(leaf.width);
        nodes_[at].cut = leaf.width < count;
        for (std::size_t i = 0; i < count; ++i)
            if (const std::size_t place = rank(of_move.data(), count, i); place < leaf.width)
                nodes_[first + place] = Node::of(leaf.moves[i], of_move[i]);
        softmax(first, nodes_.size());
    }

    // New priors of the children of a node, by logits of all moves. This moves the children.
    void judge(std::uint32_t at, const float* logits) {
        const Node& node = nodes_[at];
        const auto first = nodes_.begin() + node.first, last = first + node.count;
        for (auto child = first; child != last; ++child) child->prior = logits[child->move()];
        softmax(node.first, node.first + node.count);
        std::stable_sort(first, last, [](const Node& a, const Node& b) { return a.prior > b.prior; });
    }

    // The value of a leaf, for the player who moved into it.
    void back_up(const Leaf& leaf, float value) {
        bool child_proven = false;
        for (std::size_t i = leaf.length; i-- > 0; value = -value) {
            Node& node = nodes_[leaf.path[i]];
            if (child_proven && node.proof == unknown)
                if (const Proof proof = proof_by_children(nodes_, node); proof != unknown) set_proof(node, proof);
            child_proven = node.proof != unknown;
            if (child_proven) value = node.mean;
            ++node.visits;
            node.mean += (value - node.mean) / static_cast<float>(node.visits);
            if (child_proven) node.mean = value;
        }
    }

  private:
    using enum Proof;

    static constexpr std::size_t solve_mb = 1;

    using Node = PuctNode<P>;
    static_assert(sizeof(Node) == 20 && P::actions <= 1024 && P::max_moves < 2048);

    // The start of a simulation: down to a node of known value, or without children; returns it.
    // Visits fall along the path, so that at most one of its nodes has a given number of them.
    std::uint32_t descend(Leaf& leaf, float* planes) {
        std::uint32_t at = 0;
        leaf.path[leaf.length++] = at;
        evaluation_.begin();
        if (!nodes_[0].visits && !nodes_[0].in_flight) settle(0, leaf);
        while (nodes_[at].proof == unknown && nodes_[at].count) {
            if (wins_by_longer_threats(at, leaf)) break;
            const std::uint32_t next = select(at);
            evaluation_.follow(leaf, nodes_[at].visits, nodes_[next].move(), planes);
            at = next;
            leaf.position.play(nodes_[at].move());
            leaf.path[leaf.length++] = at;
            if (!nodes_[at].visits && !nodes_[at].in_flight) settle(at, leaf);
        }
        return at;
    }

    // One simulation down to a node of known value, which it backs up, or to a leaf. False, and nothing done, if the
    // leaf waits for the network already.
    bool simulate(float* planes) {
        Leaf leaf{.path = {}, .length = 0, .position = root_, .moves = {}, .width = 0};
        const std::uint32_t at = descend(leaf, planes);
        if (nodes_[at].proof == unknown) return evaluation_.evaluate(*this, leaf, planes);
        back_up(leaf, nodes_[at].mean);
        return true;
    }

    // The child with the highest Q + U that is not proven lost. An unvisited child ends the walk: those behind it have
    // a lower prior. Not so at the root, whose priors may carry noise.
    std::uint32_t select(std::uint32_t at) const {
        const Node& parent = nodes_[at];
        const float scale = c_ * std::sqrt(static_cast<float>(parent.visits + parent.in_flight));
        const float unvisited = -parent.mean - fpu_;
        std::uint32_t best = parent.first;
        float highest = -std::numeric_limits<float>::infinity();
        for (std::uint32_t i = parent.first; i < parent.first + parent.count; ++i) {
            const Node& child = nodes_[i];
            if (child.proof == lost) continue;
            const float real = static_cast<float>(child.visits), lent = child.in_flight, visits = real + lent;
            const float q = visits > 0 ? (real * child.mean - lent) / visits : unvisited;
            // Further visits of a proven draw are useless.
            const float bound = child.proof == drawn ? q : q + scale * child.prior / (1 + visits);
            if (bound > highest) highest = bound, best = i;
            if (!(visits > 0) && at != 0) break;
        }
        return best;
    }

    static void set_proof(Node& node, Proof proof) {
        node.proof = proof;
        node.mean = static_cast<float>(proven_value(proof));
    }

    // The result of a node by the rules, at its first visit. A reply that wins at once, or by force, proves the node
    // lost for the player who moved into it, and becomes its only child.
    void settle(std::uint32_t at, const Leaf& leaf) {
        if (const Proof proof = proof_by_rules(leaf.position.outcome()); proof != unknown)
            return set_proof(nodes_[at], proof);
        if (const ForcedWin win = find_win(leaf); win.plies) return lead_to(at, win);
        if constexpr (HasSolving<P>)
            if (tactics_.solve) solve(at, leaf.position);
    }
    // A node that has children is searched by threats again at a few numbers of visits, with positions in proportion to
    // them; whether that proves it.
    bool wins_by_longer_threats(std::uint32_t at, const Leaf& leaf) {
        if constexpr (FindsForcedWins<Knowledge<P>, P>) {
            constexpr std::uint32_t from = 32, positions_a_visit = 32, most_visits = 2048;
            const std::uint32_t visits = nodes_[at].visits + nodes_[at].in_flight;
            const bool now = visits >= from && std::has_single_bit(visits) && std::countr_zero(visits) % 2;
            // Who must reply to a threat seldom has a win of his own.
            if (!now || !tactics_.threats || is_forced(leaf)) return false;
            const std::uint64_t positions = positions_a_visit * std::min(visits, most_visits);
            if (const ForcedWin win = about(leaf).forced_win(leaf.position, positions); win.plies) lead_to(at, win);
        }
        return nodes_[at].proof != unknown;
    }
    // The win of the side to move becomes the only child, in place of those it has.
    void lead_to(std::uint32_t at, const ForcedWin& win) {
        if (nodes_.size() == capacity_) return;
        set_proof(nodes_[at], lost);
        nodes_[at].first = static_cast<std::uint32_t>(nodes_.size());
        nodes_[at].count = 1;
        Node only = Node::of(win.first, 1);
        set_proof(only, won);
        only.first = static_cast<std::uint32_t>(win.plies - 1);
        nodes_.push_back(only);
    }
    // The result by a search to the end of the game. The tree keeps the table of these searches. The root needs moves:
    // it is proven by its children, but for a win.
    void solve(std::uint32_t at, const P& position) {
        if (const int plies = position.proven_plies()) return set_loss(at, -plies);
        if (position.ply() < P::solvable_from(tactics_.solve)) return;
        if (!solved_) solved_ = std::make_unique<SolveTable>(solve_mb);
        static const StopFlag never;
        static const Stopwatch endless(Limits{}, never);
        NodePool pool;
        pool.start(tactics_.solve, 1);
        Budget budget;
        budget.start(never, endless, pool);
        Verdict verdict;
        verdict.open(-1, 1);
        Solver<P>(*solved_, budget).solve(position, verdict);
        if (!verdict.settled()) return;
        if (verdict.low() > 0) return lead_to(at, {win_score - verdict.low(), verdict.best()});
        if (verdict.high() < 0) return set_loss(at, win_score + verdict.high());
        if (at != 0) set_proof(nodes_[at], drawn);
    }
    void set_loss(std::uint32_t at, int plies) {
        if (at == 0) return;
        set_proof(nodes_[at], won);
        nodes_[at].first = static_cast<std::uint32_t>(plies);
    }
    ForcedWin find_win(const Leaf& leaf) {
        if constexpr (HasThreats<P>)
            if (const Move win = leaf.position.threat(leaf.position.side()); win != no_move) return {1, win};
        static_assert(HasForcedWin<P> == FindsForcedWins<Knowledge<P>, P>);
        if constexpr (FindsForcedWins<Knowledge<P>, P>) {
            const std::uint64_t positions = Evaluation::threat_positions(tactics_.threats);
            if (positions) return about(leaf).forced_win(leaf.position, positions);
        }
        return {};
    }

    void choices(Leaf& leaf) {
        if (!tactics_.candidates) return leaf.position.moves(leaf.moves);
        Knowledge<P>& knowledge = about(leaf);
        if constexpr (LeavesMovesOut<Knowledge<P>, P>)
            if (knowledge.selective(leaf.position)) return leaf.position.moves(leaf.moves);
        knowledge.candidates(leaf.position, leaf.moves);
    }

    // Whether the other side threatens to win.
    bool is_forced(const Leaf& leaf) {
        if constexpr (HasThreats<P>)
            if (leaf.position.threat(1 - leaf.position.side()) != no_move) return true;
        if constexpr (LeavesMovesOut<Knowledge<P>, P>)
            if (tactics_.candidates) return !about(leaf).selective(leaf.position);
        return false;
    }

    Knowledge<P>& about(const Leaf& leaf) { return evaluation_.about(leaf); }

    // Turns the logits of these nodes into priors.
    void softmax(std::size_t first, std::size_t last) {
        float highest = nodes_[first].prior, sum = 0;
        for (std::size_t i = first; i < last; ++i) highest = std::max(highest, nodes_[i].prior);
        for (std::size_t i = first; i < last; ++i) sum += nodes_[i].prior = std::exp(nodes_[i].prior - highest);
        for (std::size_t i = first; i < last; ++i) nodes_[i].prior /= sum;
    }
    // The place of number `i` in descending order, equal ones in theirs. Comparing all pairs has no branches to
    // mispredict: a third of the time of a sort.
    static std::size_t rank(const float* numbers, std::size_t count, std::size_t i) {
        unsigned before = 0;
        for (std::size_t j = 0; j < i; ++j) before += numbers[j] >= numbers[i];
        for (std::size_t j = i + 1; j < count; ++j) before += numbers[j] > numbers[i];
        return before;
    }

    // no_node if the move was left out.
    std::uint32_t child_of_root(Move move) const {
        const Node& root = nodes_[0];
        for (std::uint32_t at = root.first; at < root.first + root.count; ++at)
            if (nodes_[at].move() == move) return at;
        return no_node;
    }

    bool worse_than_root(const Node& child) const {
        const Proof root = nodes_[0].proof;
        if (root == lost) return child.proof != won;
        return root == drawn ? child.proof != drawn : root == unknown && child.proof == lost;
    }

    float c_, fpu_;
    Tactics tactics_;
    std::size_t capacity_;     // nodes
    std::vector<Node> nodes_;  // nodes_[0] is the root
    Evaluation evaluation_;
    P root_;
    std::unique_ptr<SolveTable> solved_;
};

}  // namespace fiedler
