// UCT (Kocsis and Szepesvári 2006): UCB1 selection, rollouts, proven results backed up (MCTS-Solver, Winands, Björnsson
// and Saito 2008), the tree kept between moves, one tree for several threads (Chaslot, Winands and van den Herik 2008,
// "Parallel Monte-Carlo Tree Search": tree parallelisation with virtual loss, here without locks).
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bitset>
#include <cmath>
#include <limits>
#include <thread>
#include <vector>

#include "core/bits.hpp"
#include "core/forced_line.hpp"
#include "core/limits.hpp"
#include "search/arena.hpp"
#include "search/bounds.hpp"
#include "search/rollout.hpp"
#include "search/tree.hpp"

namespace fiedler {

// First-play urgency that tries every move of a node once before any of them twice.
inline constexpr double every_move_first = 100;

struct MctsOptions {
    double c = 1.0;  // exploration, for results in -1 .. 1
    RolloutPolicy rollout = RolloutPolicy::random;
    std::size_t hash_mb = 64;  // cap on the tree and on the memory for moving its root; a full tree stops growing
    std::uint64_t seed = 0;
    std::size_t threads = 1;
    double fpu = every_move_first;  // upper confidence bound of the moves that have not been tried; this high, each is
                                    // tried once
    int leaf_rollouts = 1;          // of each simulation; their mean is backed up
    bool solver = true;             // results are proven and backed up; without it, rollouts and the rules decide alone
};

template <Position P>
class Mcts {
  public:
    explicit Mcts(const MctsOptions& options)
        : options_(options),
          weight_(static_cast<float>(options.c * options.leaf_rollouts)),
          nodes_(slots_within(options.hash_mb, sizeof(Node)) / line * line) {
        clear();
    }

    // Forget the tree and start the random numbers anew.
    void clear() {
        forget_tree();
        root_ = P{};
        seed(options_.seed);
    }
    void seed(std::uint64_t seed) {
        options_.seed = seed;
        randoms_.clear();
        for (std::size_t thread = 0; thread < options_.threads; ++thread)
            randoms_.emplace_back(thread ? hash_words(seed, thread) : seed);
    }

    // Slots of the tree, including the few that wait for a node, and the bytes of each.
    std::size_t size() const { return nodes_.size(); }
    static constexpr std::size_t bytes_per_node() { return sizeof(Node); }

    // Simulate until a limit, the stop flag, a proven root or 2^31 rollouts through it end it; `limits.nodes` counts
    // simulations of this call. With one thread, the same seed, limits (without time) and history of calls since
    // `clear` give the same tree.
    SearchInfo search(const P& position, const Limits& limits, const StopFlag& stop, const OnInfo& on_info = {}) {
        const Stopwatch watch(limits, stop);
        if (position.outcome() != Outcome::running) return {};
        if (!move_root(nodes_, root_, position, limits.seconds, line)) forget_tree();
        if (nodes_[0].known() != unknown && !nodes_[0].children()) forget_tree();  // its moves are what is asked for
        Work work(watch);
        if (options_.solver && nodes_[0].known() == unknown && prove_root(watch)) begin<false>(work, 1);
        if (nodes_[0].known() == unknown) {
            if (options_.threads == 1) {
                simulate_until_done<false>(work, randoms_[0], on_info);
            } else {
                simulate_together(work, on_info);
            }
        }
        return report(work);
    }

    // The statistics of the root's moves in the tree, most visited first, the move to play before others with as many
    // visits. A move that is proven lost has no visits.
    std::vector<RootMove> root_moves() const {
        std::vector<RootMove> moves;
        nodes_[0].each_child(nodes_, [&](std::uint32_t child) {
            moves.push_back({nodes_[child].move(), nodes_[child].visited(), score(nodes_[child]), std::nullopt});
        });
        sort_by_visits(moves);
        if (const std::uint32_t best = best_child(nodes_, 0); best != no_node) {
            const auto place = std::ranges::find(moves, nodes_[best].move(), &RootMove::move);
            if (place->visits == moves.front().visits) std::rotate(moves.begin(), place, place + 1);
        }
        return moves;
    }

  private:
    using enum Proof;
    using Board = BoardOf<P>;

    // A block of children, its size, and how many of its slots are in use.
    struct Part {
        std::uint32_t block = 0, slots = 0, used = 0;
    };

    // 16 bytes. Children lie in a chain of blocks, the first one or two cache lines, each further one twice the size of
    // the one before. Slot 0 of a block leads on to the next; the other slots take children in the order in which they
    // are made. In a shared tree `tally`, `marks` and `growth` change at any time; all else is written before `growth`
    // or the first visit in `tally` publishes it.
    struct Node {
        std::uint64_t tally = 0;  // visits in the low half; in the high half the results of the player who moved in
        std::uint32_t first = 0;  // block of children or next block; plies to the end in a proven node without children
        std::uint16_t marks = 0;  // the move that leads here, and in the two bits above it the proven result
        std::uint16_t growth = 0;  // number of children, and the two bits below

        static constexpr unsigned count_bits = 14, low_bits = (1u << count_bits) - 1;
        static constexpr std::uint16_t all_made = 1u << count_bits, growing = 1u << (count_bits + 1);

        template <bool shared>
        std::uint64_t tally_of() const {
            if constexpr (shared) return tally_now();
            return tally;
        }
        std::uint64_t tally_now() const { return atomic(tally).load(std::memory_order_relaxed); }
        std::uint16_t growth_now() const { return atomic(growth).load(std::memory_order_acquire); }
        std::uint32_t visited() const { return static_cast<std::uint32_t>(tally_now()); }
        std::int32_t results() const { return static_cast<std::int32_t>(tally_now() >> 32); }
        std::uint16_t marks_now() const { return atomic(marks).load(std::memory_order_relaxed); }
        Move move() const { return marks_now() & low_bits; }
        Proof known() const { return static_cast<Proof>(marks_now() >> count_bits); }
        unsigned children() const { return growth_now() & low_bits; }
        bool complete() const { return growth_now() & all_made; }
        bool leads_on() const { return children(); }
        std::uint32_t rest() const { return first; }
        int tie_break() const { return 0; }

        // Undefined in a node without children and in the last of its blocks.
        std::uint32_t next_block() const { return atomic(first).load(std::memory_order_relaxed); }
        void lead_to(std::uint32_t block) { atomic(first).store(block, std::memory_order_relaxed); }

        template <bool shared>
        void count(std::int32_t result, std::uint32_t visits) {
            const std::uint64_t change = (static_cast<std::uint64_t>(result) << 32) + visits;
            if constexpr (shared) {
                atomic(tally).fetch_add(change, std::memory_order_release);
            } else {
                tally += change;
            }
        }
        // Threads that do so at the same time agree; the move does not change.
        void mark(Proof found) {
            const unsigned proof = static_cast<unsigned>(found) << count_bits;
            atomic(marks).store(static_cast<std::uint16_t>(move() | proof), std::memory_order_relaxed);
        }
        // A move that is proven lost has no visits, which prevents its selection; a draw has exactly the value of one.
        void prove(Proof found) {
            mark(found);
            if (found == drawn) atomic(tally).fetch_and(0xffffffff, std::memory_order_release);
        }
        void uncount() { atomic(tally).store(0, std::memory_order_release); }
        // Makes all writes visible that precede the first visit of the node.
        void acquire() const { (void)atomic(tally).load(std::memory_order_acquire); }

        template <class Tree, class Visit>
        void each_part(const Tree& tree, Visit visit) const {
            unsigned left = children();
            std::uint32_t block = next_block();
            if constexpr (P::max_moves < first_block) {
                if (left) visit(Part{block, first_block, left + 1});
                return;
            }
            for (std::uint32_t slots = first_block; left; slots *= 2) {
                const std::uint32_t used = std::min(left, slots - 1), next = tree[block].next_block();
                visit(Part{block, slots, used + 1});
                left -= used;
                block = next;
            }
        }
        template <class Tree, class Visit>
        void each_block(const Tree& tree, Visit visit) const {
            each_part(tree, [&](const Part& part) { visit(part.block, part.slots); });
        }
        template <class Tree, class Visit>
        void each_child(const Tree& tree, Visit visit) const {
            each_part(tree, [&](const Part& part) {
                for (std::uint32_t i = 1; i < part.used; ++i) visit(part.block + i);
            });
        }

      private:
        template <class T>
        static std::atomic_ref<T> atomic(const T& field) {
            return std::atomic_ref<T>(const_cast<T&>(field));
        }
    };
    static constexpr std::uint32_t line = 4;  // slots of a cache line
    static constexpr std::uint32_t first_block =
        P::max_moves < 8 ? 8 : line;  // at most seven children: two lines for all
    static_assert(sizeof(Node) == 16 && P::actions <= Node::low_bits && P::max_moves <= Node::low_bits);

    // The shared state of the threads of one search.
    struct Work {
        explicit Work(const Stopwatch& stopwatch) : watch(stopwatch) {}
        const Stopwatch& watch;
        alignas(64) std::atomic<std::uint64_t> begun = 0;  // simulations
        alignas(64) std::atomic<bool> done = false;
    };

    // The own state of one thread.
    struct Worker {
        Random random;
        Arena<Node>::Reserve reserve;
    };

    void forget_tree() {
        nodes_.resize(0);
        typename Arena<Node>::Reserve none;
        nodes_.template add<false>(line, none);
    }

    // Simulations that a thread begins, and counts in the root, in one go: all threads read the counter and the root. A
    // small part of what it has done, so that the root's visits are never far behind.
    template <bool shared>
    static std::uint64_t batch(std::uint64_t own_simulations) {
        constexpr std::uint64_t part = 8, most = 16;
        return shared ? std::min(own_simulations / part + 1, most) : 1;
    }
    // The most rollouts in a node's results, less those that up to 256 threads may be about to add.
    std::uint32_t most_visits() const {
        return static_cast<std::uint32_t>(std::numeric_limits<std::int32_t>::max() / options_.leaf_rollouts) - 8192;
    }
    bool finished(const Work& work, std::uint64_t own_simulations) const {
        constexpr std::uint64_t rollouts_between_looks_at_the_clock = 32;
        const std::uint64_t between =
            rollouts_between_looks_at_the_clock / static_cast<unsigned>(options_.leaf_rollouts);
        return nodes_[0].known() != unknown || nodes_[0].visited() >= most_visits() || work.watch.stopped() ||
               (own_simulations % between == 0 && work.watch.out_of_time());
    }

    // The work of one thread; the one with `on_info` reports it.
    template <bool shared>
    void simulate_until_done(Work& work, Random& stream, const OnInfo& on_info) {
        Worker worker{stream, {}};
        std::uint64_t next_info = 1000, own = 0;
        for (bool done = false; !done;) {
            const std::uint64_t taken = batch<shared>(own), first = begin<shared>(work, taken);
            std::uint64_t ran = 0;
            while (ran < taken && !done) {
                if ((done = work.watch.out_of_nodes(first + ran))) break;
                simulate<shared>(worker);
                ++ran;
                done = finished(work, ++own);
            }
            done |= shared && work.done.load(std::memory_order_relaxed);
            if constexpr (shared) {
                nodes_[0].template count<true>(0, static_cast<std::uint32_t>(ran));
                if (ran < taken) work.begun.fetch_sub(taken - ran, std::memory_order_relaxed);
            }
            if (on_info && first + ran >= next_info) {
                next_info *= 2;
                on_info(report(work));
            }
        }
        stream = worker.random;
    }
    // Number of simulations begun before these.
    template <bool shared>
    static std::uint64_t begin(Work& work, std::uint64_t taken) {
        if constexpr (shared) return work.begun.fetch_add(taken, std::memory_order_relaxed);
        const std::uint64_t begun = work.begun.load(std::memory_order_relaxed);
        work.begun.store(begun + taken, std::memory_order_relaxed);
        return begun;
    }
    void simulate_together(Work& work, const OnInfo& on_info) {
        std::vector<std::jthread> others;
        struct End {  // ends the other threads, also after an exception
            ~End() { done = true; }
            std::atomic<bool>& done;
        } end{work.done};
        for (std::size_t thread = 1; thread < options_.threads; ++thread)
            others.emplace_back([&, thread] { simulate_until_done<true>(work, randoms_[thread], {}); });
        simulate_until_done<true>(work, randoms_[0], on_info);
    }

    // One simulation: down to a new or proven node, and its value back up. In a shared tree every node on the way but
    // the root counts as lost until then, which sends other threads elsewhere.
    template <bool shared>
    void simulate(Worker& worker) {
        std::array<std::uint32_t, P::max_plies + 2> path;
        std::size_t length = 0;
        Board board = board_of(root_);
        bool fresh = false;
        for (std::uint32_t at = 0; at != no_node;) {
            path[length++] = at;
            if (shared && at != 0) nodes_[at].template count<true>(-options_.leaf_rollouts, 1);
            if (fresh || nodes_[at].known() != unknown) break;
            at = next<shared>(at, board, worker, fresh);
        }
        const Node& leaf = nodes_[path[length - 1]];
        const int value = leaf.known() != unknown ? options_.leaf_rollouts * proven_value(leaf.known())
                                                  : rolled_out(board, worker.random);
        back_up<shared>(path.data(), length, value, fresh);
    }

    // Step down from an unproven node and play the move: to a new child, which is `fresh`, or to the one that UCB1
    // selects. no_node, and nothing played, when there is none.
    template <bool shared>
    std::uint32_t next(std::uint32_t at, Board& board, Worker& worker, bool& fresh) {
        Node& node = nodes_[at];
        Choice choice;
        const std::uint16_t growth = node.growth_now();
        if (!(growth & Node::all_made)) {
            if (growth && options_.fpu < every_move_first) choice = select<shared>(node);
            if (choice.bound < options_.fpu * options_.leaf_rollouts) {
                const std::uint32_t made = grow<shared>(node, board, worker);
                if (made != no_node) {
                    fresh = true;
                    return made;
                }
                if ((fresh = node.known() != unknown)) return no_node;
            }
        }
        if (choice.slot == no_node) choice = select<shared>(node);
        if (choice.slot == no_node) {
            if (node.complete()) prove_by_children(node);  // two threads at once missed it
            fresh = true;
            return no_node;
        }
        if constexpr (shared) nodes_[choice.slot].acquire();  // select() reads lines to their end, beyond `growth`
        board.play(nodes_[choice.slot].move());
        return choice.slot;
    }

    struct Choice {
        std::uint32_t slot = no_node;
        float bound = -std::numeric_limits<float>::infinity();  // times leaf_rollouts
    };

    // The child with the highest upper confidence bound among those with visits: slots without visits are free, lead
    // on, or hold a move that is proven lost. A proven draw takes part like the others.
    template <bool shared>
    Choice select(const Node& parent) const {
        const float exploration = weight_ * SqrtLog::of(parent.visited() + 1);
        Choice best;
        parent.each_part(nodes_, [&](const Part& part) {
            const Node* const slots = &nodes_[part.block];
            const auto tally = [&](std::uint32_t slot) { return slots[slot].template tally_of<shared>(); };
            for (std::uint32_t at = 0; at < part.used; at += line) {
                const auto bounds = upper_bounds({tally(at), tally(at + 1), tally(at + 2), tally(at + 3)}, exploration);
                for (std::uint32_t i = 0; i < line; ++i)
                    if (bounds[i] > best.bound) {
                        best = {part.block + at + i, bounds[i]};
                        // A branch, not a conditional move: the processor predicts the child and runs ahead.
                        asm volatile("");
                    }
            }
        });
        return best;
    }

    // Make one more child of an unproven node, drawn from the remaining moves, and play its move. no_node, and nothing
    // played, if no move is left, the arena is full, or another thread is doing it; or if a forced win proves the node.
    template <bool shared>
    std::uint32_t grow(Node& node, Board& board, Worker& worker) {
        std::atomic_ref<std::uint16_t> growth(node.growth);
        std::uint16_t now = node.growth_now();
        if constexpr (shared) {
            now = growth.fetch_or(Node::growing, std::memory_order_acquire);
            if (now & Node::growing) return no_node;
        }
        std::uint32_t slot = no_node;
        if (!(now & Node::all_made) && node.known() == unknown) slot = grow_alone<shared>(node, now, board, worker);
        growth.store(now, std::memory_order_release);
        if (slot == no_node && (now & Node::all_made) && node.known() == unknown)
            prove_by_children(node);  // maybe only this was missing
        return slot;
    }
    // Whether the children prove the node.
    bool prove_by_children(Node& node) const {
        if (!options_.solver) return false;
        const Proof proof = proof_by_children(nodes_, node);
        if (proof != unknown) node.prove(proof);
        return proof != unknown;
    }
    template <bool shared>
    std::uint32_t grow_alone(Node& node, std::uint16_t& growth, Board& board, Worker& worker) {
        Part end;
        node.each_part(nodes_, [&](const Part& part) { end = part; });
        if (end.used == end.slots && !nodes_.has_room(next_size(end), worker.reserve)) return no_node;
        if (options_.solver && !end.slots && &node != &nodes_[0] && win_by_force(node, position_of<P>(board)))
            return no_node;
        bool last = false;
        const Move move = untried(node, board, worker.random, last);
        const std::uint32_t slot = move == no_move ? no_node : free_slot<shared>(node, end, worker.reserve);
        if (last && (slot != no_node || move == no_move)) growth |= Node::all_made;
        if (slot == no_node) return no_node;
        board.play(move);
        Node& child = nodes_[slot];
        child.marks = move;
        settle(child, position_of<P>(board));
        ++growth;
        return slot;
    }

    // Whether a short search by threats proves a node at its second visit.
    static bool win_by_force(Node& node, const P& position) {
        if constexpr (HasForcedWin<P>) {
            constexpr std::uint64_t nodes = 900;  // of gomoku's two searches the one by fours: at 1000 it adds threes
            if (const ForcedWin win = position.forced_win(nodes); win.plies) {
                node.lead_to(static_cast<std::uint32_t>(win.plies));
                node.prove(lost);
                return true;
            }
        }
        return false;
    }

    static std::uint32_t next_size(const Part& end) { return end.slots ? 2 * end.slots : first_block; }

    // The slot for a node's next child, in a new block if need be; no_node when the arena is full.
    template <bool shared>
    std::uint32_t free_slot(Node& node, const Part& end, Arena<Node>::Reserve& reserve) {
        if (end.used < end.slots) return end.block + end.used;
        const std::uint32_t added = nodes_.template add<shared>(next_size(end), reserve);
        if (added == no_node) return no_node;
        if (end.slots) {
            nodes_[end.block].lead_to(added);
            nodes_[end.block].growth = 1;
        } else {
            node.lead_to(added);
        }
        return added + 1;
    }

    // A random move that no child has yet, no_move if there is none, and whether no other is left.
    Move untried(const Node& node, const Board& board, Random& random, bool& last) const {
        if constexpr (HasMoveMask<Board>) {
            unsigned left = board.move_mask();
            node.each_child(nodes_, [&](std::uint32_t child) { left &= ~(1u << nodes_[child].move()); });
            last = !(left & (left - 1));
            return left ? bits::select[left][random.below(bits::count[left])] : no_move;
        }
        const P& position = position_of<P>(board);
        std::bitset<P::actions> tried;
        node.each_child(nodes_, [&](std::uint32_t child) { tried.set(nodes_[child].move()); });
        if constexpr (HasRandomMove<P> && P::max_moves > 16) {
            constexpr int draws = 2;  // most nodes have many moves and few children
            for (int draw = 0; draw < draws; ++draw)
                if (const Move move = position.random_move(random.next32()); !tried[move]) return move;
        }
        Moves<P> moves, left;
        position.moves(moves);
        for (const Move move : moves)
            if (!tried[move]) left.push(move);
        last = left.size() <= 1;
        return left.empty() ? no_move : left[random.below(static_cast<std::uint32_t>(left.size()))];
    }

    // The proven result of a new node.
    void settle(Node& node, const P& position) const {
        if (const Proof proof = proof_by_rules(position.outcome()); proof != unknown) return node.mark(proof);
        if (!options_.solver) return;
        if constexpr (HasProof<P>) {
            if (const int plies = position.proven_plies()) {
                node.mark(plies > 0 ? lost : won);
                node.first = static_cast<std::uint32_t>(std::abs(plies));
            }
        } else if constexpr (HasThreats<P>) {
            if (position.threat(position.side()) != no_move) node.mark(lost), node.first = 1;
        }
    }

    // A win of the side to move: at once or, if the game can search for one, by threats.
    static ForcedWin find_win(const P& position, std::uint64_t nodes) {
        if constexpr (HasThreats<P>)
            if (const Move move = position.threat(position.side()); move != no_move) return {1, move};
        if constexpr (HasForcedWin<P>) return position.forced_win(nodes);
        return {};
    }

    // The result of the root's own search by threats, in steps between which it can be stopped; in a search by time it
    // takes about a tenth.
    ForcedWin root_win(const Stopwatch& watch) const {
        constexpr std::uint64_t most_nodes = 4000, nodes_a_simulation = 10;
        const Limits& limits = watch.limits();
        const bool few = limits.nodes && limits.nodes < most_nodes / nodes_a_simulation;
        const std::uint64_t most = few ? nodes_a_simulation * limits.nodes : most_nodes;
        ForcedWin win;
        for (std::uint64_t nodes = std::min(most, most_nodes / 8); nodes <= most && !win.plies; nodes *= 2) {
            win = find_win(root_, nodes);
            if (watch.stopped() || (limits.seconds > 0 && watch.seconds() > limits.seconds / 20)) break;
        }
        return win;
    }

    // Whether the root is won by force; the winning move is then its only child.
    bool prove_root(const Stopwatch& watch) {
        const ForcedWin win = root_win(watch);
        if (!win.plies) return false;
        forget_tree();  // the rest of it is useless
        typename Arena<Node>::Reserve none;
        Node& child = nodes_[free_slot<false>(nodes_[0], {}, none)];
        child.marks = win.first;
        child.first = static_cast<std::uint32_t>(win.plies - 1);
        child.mark(won);
        nodes_[0].growth = 1;
        nodes_[0].prove(lost);
        return true;
    }

    // The results of a leaf's rollouts for the player who moved into it, added up.
    int rolled_out(const Board& board, Random& random) const {
        const P& position = position_of<P>(board);
        const int first = position.side() == 1 ? 1 : -1;
        if (options_.leaf_rollouts == 1) return first * rollout(position, random, options_.rollout);
        if constexpr (HasWideRollout<P>)
            if (options_.rollout == RolloutPolicy::random && options_.leaf_rollouts == 16)
                return first * position.rollouts16(random);
        int sum = 0;
        for (int i = 0; i < options_.leaf_rollouts; ++i) sum += rollout(position, random, options_.rollout);
        return first * sum;
    }

    template <bool shared>
    void back_up(const std::uint32_t* path, std::size_t length, int value, bool news) {
        constexpr int lent = shared ? 1 : 0;
        bool child_proven = false;
        for (std::size_t i = length; i-- > 0; value = -value) {
            Node& node = nodes_[path[i]];
            if (child_proven && (news || shared) && node.known() == unknown) news = prove_by_children(node);
            const Proof known = node.known();
            child_proven = known != unknown;
            if (child_proven) value = options_.leaf_rollouts * proven_value(known);
            if (shared && i == 0) break;  // counted with its batch
            if (known == lost && i && options_.solver) {
                node.uncount();
            } else {
                node.template count<shared>(value + lent * options_.leaf_rollouts, 1 - lent);
            }
        }
    }

    // The tree ends where a game is decided, by threats say; the line continues.
    void show_the_end(SearchInfo& info, const Stopwatch& watch) const {
        constexpr std::uint64_t nodes = 4000;
        const int winner = *info.mate > 0 ? root_.side() : 1 - root_.side();
        finish_line(root_, winner, plies_to_end(nodes_, 0), nodes, watch, info.pv);
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
        for (std::uint32_t at = 0; nodes_[at].children();) {
            at = best_child(nodes_, at);
            info.pv.push_back(nodes_[at].move());
        }
        info.depth = static_cast<int>(info.pv.size());
        info.best = info.pv.front();
        const Node& best = nodes_[best_child(nodes_, 0)];
        info.score = mean_score(best);
        const Proof known = nodes_[0].known();
        if (known == lost)
            info.score = 1, info.mate = (plies_to_end(nodes_, 0) + 1) / 2;  // lost for who moved into the root
        if (known == won) info.score = 0, info.mate = -plies_to_end(nodes_, 0) / 2;
        if (known == drawn) info.score = 0.5, info.proven_draw = true;
        if (info.mate) show_the_end(info, work.watch);
        return info;
    }

    MctsOptions options_;
    float weight_;       // of exploration, where the results of leaf_rollouts are added up
    Arena<Node> nodes_;  // nodes_[0] is the root
    P root_;
    std::vector<Random> randoms_;  // of each thread
};

}  // namespace fiedler
