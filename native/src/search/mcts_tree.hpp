// UCT (Kocsis and Szepesvári 2006): UCB1 selection, rollouts, proven results backed up (MCTS-Solver, Winands, Björnsson
// and Saito 2008), the tree kept between moves. One tree, for one thread.
#pragma once

#include <array>
#include <bitset>
#include <cmath>
#include <limits>
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
    std::size_t hash_mb = 64;  // cap on the trees and on the memory for moving their roots; a full tree stops growing
    std::uint64_t seed = 0;
    std::size_t threads = 1;        // each with a tree of its own
    double fpu = every_move_first;  // upper confidence bound of the moves that have not been tried; this high, each is
                                    // tried once
    int leaf_rollouts = 1;          // of each simulation; their mean is backed up
    bool solver = true;             // results are proven and backed up; without it, rollouts and the rules decide alone
};

template <Position P>
class MctsTree {
  public:
    // 16 bytes. Children lie in a chain of blocks, the first one or two cache lines, each further one twice the size of
    // the one before. Slot 0 of a block leads on to the next; the other slots take children in the order in which they
    // are made.
    struct Node {
        std::uint64_t tally = 0;  // visits in the low half; in the high half the results of the player who moved in
        std::uint32_t first = 0;  // block of children or next block; plies to the end in a proven node without children
        Move by = 0;              // the move that leads here
        std::uint16_t growth = 0;  // number of children, the bit below, and in the two bits above it the proven result

        static constexpr unsigned count_bits = 13, most_children = (1u << count_bits) - 1;
        static constexpr std::uint16_t all_made = 1u << count_bits, below_proof = 2 * all_made - 1;

        std::uint32_t visited() const { return static_cast<std::uint32_t>(tally); }
        std::int32_t results() const { return static_cast<std::int32_t>(tally >> 32); }
        Move move() const { return by; }
        Proof known() const { return static_cast<Proof>(growth >> (count_bits + 1)); }
        unsigned children() const { return growth & most_children; }
        bool complete() const { return growth & all_made; }
        bool leads_on() const { return children(); }
        std::uint32_t rest() const { return first; }
        int tie_break() const { return 0; }

        void count(std::int32_t result) { tally += (static_cast<std::uint64_t>(result) << 32) + 1; }
        void mark(Proof found) {
            growth =
                static_cast<std::uint16_t>((growth & below_proof) | static_cast<unsigned>(found) << (count_bits + 1));
        }

        template <class Tree, class Visit>
        void each_part(const Tree& tree, Visit visit) const {
            unsigned left = children();
            std::uint32_t block = first;
            if constexpr (P::max_moves < first_block) {
                if (left) visit(Part{block, first_block, left + 1});
                return;
            }
            for (std::uint32_t slots = first_block; left; slots *= 2) {
                const std::uint32_t used = std::min(left, slots - 1), next = tree[block].first;
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
    };
    static_assert(sizeof(Node) == 16 && P::max_moves <= Node::most_children);

    // A tree of at most `bytes`, with the memory for moving its root.
    MctsTree(const MctsOptions& options, std::size_t bytes)
        : options_(options),
          weight_(static_cast<float>(options.c * options.leaf_rollouts)),
          nodes_(slots_within(bytes, sizeof(Node)) / line * line) {
        forget();
    }

    void seed(std::uint64_t seed) { random_ = Random(seed); }
    void forget() {
        nodes_.resize(0);
        nodes_.add(line);
    }
    void clear() {
        forget();
        root_ = P{};
    }

    // Slots, including the few that wait for a node.
    std::size_t size() const { return nodes_.size(); }
    Node& operator[](std::uint32_t slot) { return nodes_[slot]; }
    const Node& operator[](std::uint32_t slot) const { return nodes_[slot]; }
    const P& root() const { return root_; }

    // Make `position` the root, keeping what a search of `seconds` (0: no limit) can use.
    void move_to(const P& position, double seconds) {
        if (!move_root(nodes_, root_, position, seconds, line)) forget();
        if (nodes_[0].known() != unknown && !nodes_[0].children()) forget();  // its moves are what is asked for
    }

    // One simulation: down to a new or proven node, and its value back up. The root must not be proven.
    void simulate() {
        std::array<std::uint32_t, P::max_plies + 2> path;
        std::size_t length = 0;
        Board board = board_of(root_);
        bool fresh = false;
        for (std::uint32_t at = 0; at != no_node;) {
            path[length++] = at;
            if (fresh || nodes_[at].known() != unknown) break;
            at = next(at, board, fresh);
        }
        const Node& leaf = nodes_[path[length - 1]];
        const int value =
            leaf.known() != unknown ? options_.leaf_rollouts * proven_value(leaf.known()) : rolled_out(board);
        back_up(path.data(), length, value, fresh);
    }

    // Whether the children prove an unproven node.
    bool prove_by_children(Node& node) {
        if (!options_.solver) return false;
        const Proof proof = proof_by_children(nodes_, node);
        if (proof != unknown) prove(node, proof);
        return proof != unknown;
    }
    // A child of the root, which has none by this move; not if the arena is full.
    void add_to_root(Move move) {
        if (const Part end = last_part(nodes_[0]); has_room(end)) add_child(nodes_[0], end, move);
    }
    // Whether a node has no visits because it is proven lost for its mover, which prevents its selection.
    bool discards(const Node& node) const { return options_.solver && node.known() == lost && &node != &nodes_[0]; }
    // Take over the proof of an unproven node from another tree, and give up its children.
    void close(std::uint32_t slot, Proof proof, std::uint32_t plies) {
        Node& node = nodes_[slot];
        prove(node, proof);
        node.growth &= static_cast<std::uint16_t>(~Node::below_proof);
        node.first = plies;
    }

    // Make the root a node that is won by force for its side to move; the winning move is then its only child.
    void prove_root(const ForcedWin& win) {
        forget();  // the rest of it is useless
        Node& child = nodes_[add_child(nodes_[0], {}, win.first)];
        child.first = static_cast<std::uint32_t>(win.plies - 1);
        child.mark(won);
        prove(nodes_[0], lost);
    }

  private:
    using enum Proof;
    using Board = BoardOf<P>;

    // A block of children, its size, and how many of its slots are in use.
    struct Part {
        std::uint32_t block = 0, slots = 0, used = 0;
    };
    static constexpr std::uint32_t line = 4;  // slots of a cache line
    static constexpr std::uint32_t first_block =
        P::max_moves < 8 ? 8 : line;  // at most seven children: two lines for all

    // A draw has exactly the value of one.
    void prove(Node& node, Proof found) {
        node.mark(found);
        if (found == drawn) node.tally &= 0xffffffff;
        if (discards(node)) node.tally = 0;
    }

    // Step down from an unproven node and play the move: to a new child, which is `fresh`, or to the one that UCB1
    // selects. no_node, and nothing played, when there is none.
    std::uint32_t next(std::uint32_t at, Board& board, bool& fresh) {
        Node& node = nodes_[at];
        Choice choice;
        if (!node.complete()) {
            if (node.children() && options_.fpu < every_move_first) choice = select(node);
            if (choice.bound < options_.fpu * options_.leaf_rollouts) {
                const std::uint32_t made = grow(node, board);
                if (made != no_node) {
                    fresh = true;
                    return made;
                }
                if ((fresh = node.known() != unknown)) return no_node;
            }
        }
        if (choice.slot == no_node) choice = select(node);
        if (choice.slot == no_node) {
            fresh = true;
            return no_node;
        }
        board.play(nodes_[choice.slot].move());
        return choice.slot;
    }

    struct Choice {
        std::uint32_t slot = no_node;
        float bound = -std::numeric_limits<float>::infinity();  // times leaf_rollouts
    };

    // The child with the highest upper confidence bound among those with visits: slots without visits are free, lead
    // on, or hold a move that is proven lost. A proven draw takes part like the others.
    Choice select(const Node& parent) const {
        const float exploration = weight_ * SqrtLog::of(parent.visited() + 1);
        Choice best;
        parent.each_part(nodes_, [&](const Part& part) {
            const Node* const slots = &nodes_[part.block];
            for (std::uint32_t at = 0; at < part.used; at += line) {
                const auto bounds = upper_bounds(
                    {slots[at].tally, slots[at + 1].tally, slots[at + 2].tally, slots[at + 3].tally}, exploration);
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
    // played, if no move is left or the arena is full, or if a forced win proves the node.
    std::uint32_t grow(Node& node, Board& board) {
        const Part end = last_part(node);
        if (!has_room(end)) return no_node;
        if (options_.solver && !end.slots && &node != &nodes_[0] && win_by_force(node, position_of<P>(board)))
            return no_node;
        bool last = false;
        const Move move = untried(node, board, last);
        if (last) node.growth |= Node::all_made;
        if (move == no_move) {
            prove_by_children(node);  // maybe only this was missing
            return no_node;
        }
        const std::uint32_t child = add_child(node, end, move);
        board.play(move);
        settle(nodes_[child], position_of<P>(board));
        return child;
    }

    // Whether a short search by threats proves a node at its second visit.
    bool win_by_force(Node& node, const P& position) {
        if constexpr (HasForcedWin<P>) {
            constexpr std::uint64_t nodes = 900;  // of gomoku's two searches the one by fours: at 1000 it adds threes
            if (const ForcedWin win = position.forced_win(nodes); win.plies) {
                node.first = static_cast<std::uint32_t>(win.plies);
                prove(node, lost);
                return true;
            }
        }
        return false;
    }

    Part last_part(const Node& node) const {
        Part end;
        node.each_part(nodes_, [&](const Part& part) { end = part; });
        return end;
    }
    static std::uint32_t next_size(const Part& end) { return end.slots ? 2 * end.slots : first_block; }
    bool has_room(const Part& end) const { return end.used < end.slots || nodes_.has_room(next_size(end)); }

    // One more child of a node whose last part is `end`, in a new block if need be, for which there is room.
    std::uint32_t add_child(Node& node, const Part& end, Move move) {
        std::uint32_t slot = end.block + end.used;
        if (end.used == end.slots) {
            const std::uint32_t added = nodes_.add(next_size(end));
            if (end.slots) {
                nodes_[end.block].first = added;
                nodes_[end.block].growth = 1;
            } else {
                node.first = added;
            }
            slot = added + 1;
        }
        nodes_[slot].by = move;
        ++node.growth;
        return slot;
    }

    // A random move that no child has yet, no_move if there is none, and whether no other is left.
    Move untried(const Node& node, const Board& board, bool& last) {
        if constexpr (HasMoveMask<Board>) {
            unsigned left = board.move_mask();
            node.each_child(nodes_, [&](std::uint32_t child) { left &= ~(1u << nodes_[child].move()); });
            last = !(left & (left - 1));
            return left ? bits::select[left][random_.below(bits::count[left])] : no_move;
        }
        const P& position = position_of<P>(board);
        std::bitset<P::actions> tried;
        node.each_child(nodes_, [&](std::uint32_t child) { tried.set(nodes_[child].move()); });
        if constexpr (HasRandomMove<P> && P::max_moves > 16) {
            constexpr int draws = 2;  // most nodes have many moves and few children
            for (int draw = 0; draw < draws; ++draw)
                if (const Move move = position.random_move(random_.next32()); !tried[move]) return move;
        }
        Moves<P> moves, left;
        position.moves(moves);
        for (const Move move : moves)
            if (!tried[move]) left.push(move);
        last = left.size() <= 1;
        return left.empty() ? no_move : left[random_.below(static_cast<std::uint32_t>(left.size()))];
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

    // The results of a leaf's rollouts for the player who moved into it, added up.
    int rolled_out(const Board& board) {
        const P& position = position_of<P>(board);
        const int first = position.side() == 1 ? 1 : -1;
        if (options_.leaf_rollouts == 1) return first * rollout(position, random_, options_.rollout);
        if constexpr (HasWideRollout<P>)
            if (options_.rollout == RolloutPolicy::random && options_.leaf_rollouts == 16)
                return first * position.rollouts16(random_);
        int sum = 0;
        for (int i = 0; i < options_.leaf_rollouts; ++i) sum += rollout(position, random_, options_.rollout);
        return first * sum;
    }

    void back_up(const std::uint32_t* path, std::size_t length, int value, bool news) {
        bool child_proven = false;
        for (std::size_t i = length; i-- > 0; value = -value) {
            Node& node = nodes_[path[i]];
            if (child_proven && news && node.known() == unknown) news = prove_by_children(node);
            const Proof known = node.known();
            child_proven = known != unknown;
            if (child_proven) value = options_.leaf_rollouts * proven_value(known);
            if (discards(node)) {
                node.tally = 0;
            } else {
                node.count(value);
            }
        }
    }

    const MctsOptions options_;
    const float weight_;  // of exploration, where the results of leaf_rollouts are added up
    Arena<Node> nodes_;   // nodes_[0] is the root
    P root_;
    Random random_;
};

}  // namespace fiedler
