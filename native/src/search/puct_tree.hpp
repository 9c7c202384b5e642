// The tree of PUCT: selection, proofs and values, without the network.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <memory>
#include <vector>

#include "core/limits.hpp"
#include "core/random.hpp"
#include "search/known_path.hpp"
#include "search/proven_root.hpp"
#include "search/rollout.hpp"
#include "search/solve.hpp"
#include "search/tree.hpp"

namespace fiedler {

// The help of the game's rules beyond a step of play. Without it the network must know the tactics.
struct Tactics {
    std::uint64_t threats = 0;  // positions of the search by threats at every new node, of games that have one; the
                                // root and nodes with many visits have longer ones; 0: none
    std::uint64_t solve = 0;    // positions of the search to the end of the game at every new node late enough for it,
                                // of games that have a solver; 0: none
    bool candidates = false;    // a node has only the moves among which one is best by the game's knowledge

    bool any() const { return threats || solve || candidates; }
};

struct PuctOptions {
    double c_puct = 1.5;         // exploration, for values in -1 .. 1
    double fpu_reduction = 0.2;  // the value of an unvisited move is this much below that of its parent
    std::size_t batch = 8;       // leaves that one search submits at a time, 1 .. 128
    double temperature = 0;      // of the choice among the root's visits; 0 plays the most visited move
    std::size_t hash_mb = 256;   // cap on the tree; a full tree stops growing, the search continues
    std::uint64_t seed = 0;
    Tactics tactics{};
    std::size_t width = 0;        // most children of a node, the likeliest ones, where no threat limits them; 0: all
    unsigned rollouts = 0;        // heuristic rollouts from each leaf
    double rollout_share = 1;     // weight of their mean result in the value of the leaf; the network has the rest
    std::uint32_t ask_from = 64;  // visits of a node for whose moves the network is asked, where a network of cells
                                  // values the leaves at once
};

// The tree without the network: `gather` finds leaves, `answer` takes the network's answers for them.
template <Position P>
class PuctTree {
  public:
    static constexpr std::size_t planes_size = std::size_t{P::planes_count} * P::rows * P::columns;

    explicit PuctTree(const PuctOptions& options)
        : c_(static_cast<float>(options.c_puct)),
          fpu_(static_cast<float>(options.fpu_reduction)),
          tactics_(options.tactics),
          ask_from_(options.ask_from),
          width_(options.width ? options.width : P::max_moves),
          capacity_(slots_within(std::max<std::size_t>(options.hash_mb, 1) << 20, sizeof(Node))) {
        clear();
    }

    void clear() {
        nodes_.assign(1, Node{});
        pending_.clear();
        asked_.clear();
        root_ = P{};
        if (own_) own_->reset(root_);
        solved_.reset();
    }

    // From now on a network of cells values the leaves at once: `simulate` in place of `gather`.
    void use(std::shared_ptr<const CellNet> net)
        requires HasCellPatterns<P>
    {
        own_ = std::make_unique<KnownPath<P>>(std::move(net));
        own_->reset(root_);
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
    bool values_at_once() const { return own_ != nullptr; }
    const P& root() const { return root_; }
    // Mean value of the root for the side to move, -1 .. 1; exact once proven.
    float value() const { return -nodes_[0].mean; }

    // Make `position` the root for a search of `seconds` (0: no limit), keeping its subtree if that pays.
    void move_root(const P& position, double seconds = 0) {
        const bool kept = fiedler::move_root(nodes_, root_, position, seconds, 1);
        const bool answered = !proven() || expanded();  // a proof by threats leaves the moves of the loser out
        if (!kept || !answered) nodes_.assign(1, Node{});
        asked_.clear();
        if (own_) own_->reset(root_);
    }

    // Make the root a node that is won by force for its side to move.
    void prove_root(const ForcedWin& win) {
        nodes_.assign(1, Node{});
        lead_to(0, win);
    }

    // Make room for the largest tree at once: address space, the memory is taken as the tree grows.
    void reserve() { nodes_.reserve(capacity_); }

    // Run simulations until `wanted` leaves wait for the network, `budget` simulations are begun, the root is proven,
    // or the next leaf is one that waits already. Writes the planes of the leaves one after the other and adds the
    // simulations to `count`; returns the number of leaves, which need an `answer` before the next call.
    std::size_t gather(std::size_t wanted, std::uint64_t budget, float* planes, std::uint64_t& count) {
        pending_.clear();
        for (; budget && pending_.size() < wanted && !proven(); --budget, ++count)
            if (!find_leaf(planes + pending_.size() * planes_size)) break;
        return pending_.size();
    }

    // Run up to `budget` simulations, which need no network, until `wanted` nodes have as many visits that the network
    // is asked for better priors of their moves, or the root is proven. Their planes go behind those of the nodes that
    // wait; adds the simulations to `count` and returns the number of nodes that wait for `advise`.
    std::size_t simulate(std::size_t wanted, std::uint64_t budget, float* planes, std::uint64_t& count)
        requires HasCellPatterns<P>
    {
        for (; budget && asked_.size() < wanted && !proven(); --budget, ++count) value_leaf(planes);
        return asked_.size();
    }

    // The network's logits (P::actions a node) for the nodes that wait. The last one comes first: sorting the children
    // of a node moves those of them that wait, too, and they were asked for later than it.
    void advise(const float* policy) {
        for (std::size_t i = asked_.size(); i-- > 0;) {
            const Node& node = nodes_[asked_[i]];
            const auto first = nodes_.begin() + node.first, last = first + node.count;
            for (auto child = first; child != last; ++child) child->prior = policy[i * P::actions + child->move()];
            softmax(node.first, node.first + node.count);
            std::stable_sort(first, last, [](const Node& a, const Node& b) { return a.prior > b.prior; });
        }
        asked_.clear();
    }

    // The network's logits (P::actions a leaf) and values (-1 .. 1, side to move) for the leaves of the last `gather`.
    void answer(const float* policy, const float* values) {
        for (std::size_t i = 0; i < pending_.size(); ++i) {
            const Leaf& leaf = pending_[i];
            expand(leaf.path[leaf.length - 1], leaf, policy + i * P::actions);
            for (std::size_t k = 0; k < leaf.length; ++k) --nodes_[leaf.path[k]].in_flight;
            back_up(leaf, -std::clamp(values[i], -1.0f, 1.0f));
        }
        pending_.clear();
    }

    // Put the mean result of `count` rollouts from each leaf of the last `gather` into its value, with this weight.
    void roll_out(unsigned count, double share, Random& random, float* values) const {
        for (std::size_t i = 0; i < pending_.size(); ++i) {
            int sum = 0;
            for (unsigned k = 0; k < count; ++k) sum += rollout<RolloutPolicy::heuristic>(pending_[i].position, random);
            const double mean = (pending_[i].position.side() ? -1.0 : 1.0) * sum / count;
            values[i] = static_cast<float>((1 - share) * values[i] + share * mean);
        }
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

  private:
    using enum Proof;

    static constexpr std::size_t solve_mb = 1;

    struct Node;
    using Tree = std::vector<Node>;

    // The rest of a node, in four bytes: the move that leads here; the number of children, 0 until expanded;
    // simulations below that wait for the network and count as lost (virtual loss); whether moves are missing among
    // the children. If a byte for each number is enough they have one, which saves an instruction a child in select().
    struct Bytes {
        std::uint8_t by = 0, count = 0, in_flight = 0;
        Proof proof : 2 = unknown;
        bool cut : 1 = false;
    };
    struct Bits {
        std::uint32_t in_flight : 8 = 0, by : 10 = 0, count : 11 = 0, cut : 1 = 0;
        Proof proof : 2 = unknown;
    };
    using Rest = std::conditional_t<(P::actions <= 256 && P::max_moves <= 255), Bytes, Bits>;

    // 20 bytes; children lie side by side in the arena, highest prior first.
    struct Node : Rest {
        using Rest::by, Rest::count, Rest::cut, Rest::proof;

        std::uint32_t visits = 0;
        float mean = 0;           // value for the player who moved into the node, -1 .. 1; exact once proven
        float prior = 0;          // the network's probability of the move among its sisters
        std::uint32_t first = 0;  // child; plies to the end in a node without children whose win is proven by threats

        static Node of(Move move, float prior) {
            Node node;
            node.by = move;
            node.prior = prior;
            return node;
        }
        Move move() const { return by; }
        Proof known() const { return proof; }
        std::uint32_t visited() const { return visits; }
        float tie_break() const { return prior; }
        bool complete() const { return !cut; }
        bool leads_on() const { return count; }
        std::uint32_t rest() const { return first; }
        template <class Visit>
        void each_child(const Tree&, Visit visit) const {
            for (std::uint32_t i = first; i < first + count; ++i) visit(i);
        }
        template <class Visit>
        void each_block(const Tree&, Visit visit) const {
            if (count) visit(first, count);
        }
    };
    static_assert(sizeof(Node) == 20 && P::actions <= 1024 && P::max_moves < 2048);

    struct Leaf {
        std::array<std::uint32_t, P::max_plies + 1> path;
        std::size_t length = 0;
        P position;
        Moves<P> moves;     // its choices
        std::size_t width;  // most children

        std::size_t depth() const { return length - 1; }
    };

    // The start of a simulation: down to a node of known value, or without children; returns it.
    // Visits fall along the path, so that it meets at most one node for whose moves the network is asked.
    std::uint32_t descend(Leaf& leaf, float* planes) {
        std::uint32_t at = 0;
        leaf.path[leaf.length++] = at;
        Look& shared = look();
        shared.begun = false;
        if (!nodes_[0].visits && !nodes_[0].in_flight) settle(0, leaf);
        while (nodes_[at].proof == unknown && nodes_[at].count) {
            if (wins_by_longer_threats(at, leaf)) break;
            if (own_ && nodes_[at].visits == ask_from_) {
                leaf.position.planes(planes + asked_.size() * planes_size);
                asked_.push_back(at);
            }
            at = select(at);
            if (own_) own_->play(leaf.depth(), leaf.position, nodes_[at].move());
            leaf.position.play(nodes_[at].move());
            shared.begun = false;
            leaf.path[leaf.length++] = at;
            if (!nodes_[at].visits && !nodes_[at].in_flight) settle(at, leaf);
        }
        return at;
    }

    // One simulation down to a node of known value, which it backs up, or to a leaf for the network. False, and nothing
    // done, if the leaf waits for the network already.
    bool find_leaf(float* planes) {
        Leaf leaf{.path = {}, .length = 0, .position = root_, .moves = {}, .width = 0};
        const std::uint32_t at = descend(leaf, planes);
        if (nodes_[at].proof != unknown) {
            back_up(leaf, nodes_[at].mean);
            return true;
        }
        if (nodes_[at].in_flight) return false;
        for (std::size_t i = 0; i < leaf.length; ++i) ++nodes_[leaf.path[i]].in_flight;
        leaf.position.planes(planes);
        choices(leaf);
        leaf.width = breadth(leaf, width_);
        pending_.push_back(leaf);
        return true;
    }

    // One simulation whose leaf has its value at once. Its moves have the order of the knowledge as their logits.
    void value_leaf(float* planes)
        requires HasCellPatterns<P>
    {
        Leaf leaf{.path = {}, .length = 0, .position = root_, .moves = {}, .width = 0};
        const std::uint32_t at = descend(leaf, planes);
        float value = nodes_[at].mean;
        if (nodes_[at].proof == unknown) {
            choices(leaf);
            leaf.width = breadth(leaf, wide);
            std::array<float, P::actions> logits;
            for (const Move move : leaf.moves) logits[move] = about(leaf).order(leaf.position, move) / order_per_logit;
            expand(at, leaf, logits.data());
            value = -quiet_value(leaf);
        }
        back_up(leaf, value);
    }

    // The value for the side to move: that of the position after the only replies to threats, if there are some.
    float quiet_value(const Leaf& leaf)
        requires HasCellPatterns<P>
    {
        Knowledge<P>& knowledge = about(leaf);
        P position = leaf.position;
        Outcome outcome = Outcome::running;
        std::size_t replies = 0;
        int plies = knowledge.proven_plies(position);
        while (!plies && outcome == Outcome::running && knowledge.forced(position) && replies < most_replies) {
            Moves<P> moves;
            knowledge.candidates(position, moves);
            own_->play(leaf.depth() + replies++, position, moves[0]);
            position.play(moves[0]);
            outcome = position.outcome();
            if (outcome == Outcome::running) plies = knowledge.proven_plies(position);
        }
        float value = static_cast<float>((plies > 0) - (plies < 0));
        if (outcome != Outcome::running) {
            value = -static_cast<float>(proven_value(proof_by_rules(outcome)));
        } else if (!plies) {
            value = static_cast<float>(2 * expected_score(knowledge.evaluate(position)) - 1);
        }
        return replies % 2 ? -value : value;
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
    ForcedWin find_win(const Leaf& leaf) const {
        if constexpr (HasThreats<P>)
            if (const Move win = leaf.position.threat(leaf.position.side()); win != no_move) return {1, win};
        static_assert(HasForcedWin<P> == FindsForcedWins<Knowledge<P>, P>);
        if constexpr (FindsForcedWins<Knowledge<P>, P>) {
            // Where a node takes some microseconds, no more positions than at the leaves of negamax.
            const std::uint64_t most = own_ ? Knowledge<P>::threat_nodes(0) : tactics_.threats;
            if (tactics_.threats) return about(leaf).forced_win(leaf.position, std::min(tactics_.threats, most));
        }
        return {};
    }

    // The moves that a node gets as children: all, or those among which one is best by the game's knowledge.
    void choices(Leaf& leaf) const {
        if (!tactics_.candidates) return leaf.position.moves(leaf.moves);
        Knowledge<P>& knowledge = about(leaf);
        if constexpr (LeavesMovesOut<Knowledge<P>, P>)
            if (knowledge.selective(leaf.position)) return leaf.position.moves(leaf.moves);
        knowledge.candidates(leaf.position, leaf.moves);
    }

    // The number of its moves that a leaf gets as children: at most this many, but every reply to a threat.
    std::size_t breadth(const Leaf& leaf, std::size_t most) const {
        return leaf.moves.size() <= most || is_forced(leaf) ? leaf.moves.size() : most;
    }
    // Whether the other side threatens to win.
    bool is_forced(const Leaf& leaf) const {
        if constexpr (HasThreats<P>)
            if (leaf.position.threat(1 - leaf.position.side()) != no_move) return true;
        if constexpr (LeavesMovesOut<Knowledge<P>, P>)
            if (tactics_.candidates) return !about(leaf).selective(leaf.position);
        return false;
    }

    // The game's knowledge about the present end of a simulation.
    Knowledge<P>& about(const Leaf& leaf) const {
        return own_ ? own_->after(leaf.depth()) : look().about(leaf.position);
    }

    // The game's knowledge about one position, which its search by threats and its choices share. It is the same for
    // all trees of a thread, for it is large; nothing in it lasts from one position to the next.
    struct Look {
        Knowledge<P> knowledge;
        bool begun = false;
        Knowledge<P>& about(const P& position) {
            if (!begun) knowledge.reset(position);
            begun = true;
            return knowledge;
        }
    };
    static Look& look() {
        static thread_local Look shared;
        return shared;
    }

    // Give the leaf its likeliest children, with the softmax over their logits as priors; not if the arena is full.
    void expand(std::uint32_t at, const Leaf& leaf, const float* logits) {
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

    static constexpr float order_per_logit = 60;     // of a move: nearly even priors were the strongest
    static constexpr std::size_t wide = 16;          // most children of a node whose value comes at once
    static constexpr std::size_t most_replies = 12;  // to threats, before a position is evaluated

    float c_, fpu_;
    Tactics tactics_;
    std::uint32_t ask_from_;
    std::size_t width_;
    std::size_t capacity_;  // nodes
    Tree nodes_;            // nodes_[0] is the root
    std::vector<Leaf> pending_;
    std::vector<std::uint32_t> asked_;   // nodes that wait for better priors
    std::unique_ptr<KnownPath<P>> own_;  // that of the simulations, if it values their leaves
    P root_;
    std::unique_ptr<SolveTable> solved_;
};

}  // namespace fiedler
