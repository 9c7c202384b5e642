// Principal variation search to a fixed depth: what one thread of negamax does.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <vector>

#include "limits.hpp"
#include "move_order.hpp"
#include "table.hpp"

namespace fiedler {

// Scores are from the side to move, in centipawns of the UGI scale. A win in n plies from the root is win_score - n, a
// loss -(win_score - n); everything within `longest_win` plies of win_score is such a proven result.
inline constexpr int win_score = 30000, longest_win = 1000, infinite_score = 32000;

inline bool is_win(int score) {
    return score > win_score - longest_win;
}
inline bool is_proven(int score) {
    return is_win(score) || is_win(-score);
}

template <Position P>
class AlphaBeta {
  public:
    static_assert(P::max_plies <= 255, "the table keeps depths in eight bits");
    using Line = MoveList<P::max_plies>;

    explicit AlphaBeta(Table& table) : table_(table), pv_(P::max_plies + 2) {}

    void clear() { order_ = MoveOrder<P>(); }

    // Before the searches of one position. `stop` is looked at in every node, `watch` now and then; `most_nodes` 0 sets
    // no limit.
    void start(const P& root, const StopFlag& stop, const Stopwatch& watch, std::uint64_t most_nodes) {
        root_ = root;
        stop_ = &stop;
        watch_ = &watch;
        most_nodes_ = most_nodes;
        nodes_.store(0, std::memory_order_relaxed);
        stopped_ = false;
        unfinished_ = no_move;
        order_.age();
        knowledge_.reset(root);
    }
    // The moves of the root worth a search, best first.
    Moves<P> root_moves() {
        Moves<P> moves;
        if (root_.outcome() != Outcome::running) return moves;
        knowledge_.candidates(root_, moves);
        order_.sort(knowledge_, root_, moves, no_move, 0);
        return moves;
    }
    // The score of the root, searched `depth` plies deep; its line is in line().
    int search(int depth) { return visit(root_, depth, -infinite_score, infinite_score, 0); }

    bool stopped() const { return stopped_; }
    const Line& line() const { return pv_[0]; }
    // The move of the root in whose search the stop came.
    Move unfinished() const { return unfinished_; }
    // May be asked by other threads.
    std::uint64_t nodes() const { return nodes_.load(std::memory_order_relaxed); }

  private:
    // The score of `position`, `ply` plies below the root, searched `depth` plies deep: exact when it lies strictly
    // between alpha and beta, else a bound on that side. The value is meaningless once stopped_ is set. `key` is the
    // position's where depth > 0.
    int visit(const P& position, int depth, int alpha, int beta, int ply, std::uint64_t key = 0) {
        line(ply).clear();
        switch (position.outcome()) {
            case Outcome::loss: return -(win_score - ply);
            case Outcome::win: return win_score - ply;
            case Outcome::draw: return 0;
            case Outcome::running: break;
        }
        if (out_of_budget()) return 0;
        count_node();
        if (const int plies = ply > 0 ? knowledge_.proven_plies(position) : 0)
            return plies > 0 ? win_score - ply - plies : -(win_score - ply + plies);
        if (depth <= 0) return std::clamp(knowledge_.evaluate(position), -10000, 10000);
        if (ply > 0) {  // no line from here is better than a win in the next ply, none worse than a loss in two
            alpha = std::max(alpha, -(win_score - ply - 2));
            beta = std::min(beta, win_score - ply - 1);
            if (alpha >= beta) return alpha;
        } else {
            key = position.key();
        }
        const Known known = table_.find(key);
        if (known.bound != Bound::none && ply > 0 && known.depth >= depth) {
            const int score = from_table(known.score, ply);
            if (known.bound == Bound::exact || (known.bound == Bound::lower && score >= beta) ||
                (known.bound == Bound::upper && score <= alpha))
                return score;
        }
        return visit_children(position, depth, alpha, beta, ply, key, known.move);
    }

    int visit_children(const P& position, int depth, int alpha, int beta, int ply, std::uint64_t key, Move known) {
        Moves<P> moves;
        knowledge_.candidates(position, moves);
        order_.sort(knowledge_, position, moves, known, ply);
        const int floor = alpha;
        int best = -infinite_score;
        Move best_move = no_move;
        for (std::size_t i = 0; i < moves.size(); ++i) {
            const Move move = moves[i];
            P child = position;
            child.play(move);
            std::uint64_t child_key = 0;
            if (depth > 1) table_.prefetch(child_key = child.key());
            knowledge_.play(position, move);
            const int score = child_score(child, depth - 1, alpha, beta, ply + 1, i == 0, child_key);
            knowledge_.undo(position, move);
            if (stopped_) {
                if (ply == 0) unfinished_ = move;
                return best;
            }
            if (score > best) best = score, best_move = move;
            if (score > alpha) {
                alpha = score;
                extend_line(move, ply);
            }
            if (alpha >= beta) {
                order_.reward(position.side(), move, depth, ply);
                break;
            }
        }
        const Bound bound = best >= beta ? Bound::lower : best > floor ? Bound::exact : Bound::upper;
        table_.store(key, {to_table(best, ply), best_move, static_cast<std::uint8_t>(depth), bound});
        return best;
    }

    // Principal variation search: the first child gets the full window, the others must prove that they are better.
    int child_score(const P& child, int depth, int alpha, int beta, int ply, bool first, std::uint64_t key) {
        if (first) return -visit(child, depth, -beta, -alpha, ply, key);
        const int score = -visit(child, depth, -alpha - 1, -alpha, ply, key);
        return score > alpha && score < beta && !stopped_ ? -visit(child, depth, -beta, -alpha, ply, key) : score;
    }

    Line& line(int ply) { return pv_[static_cast<std::size_t>(ply)]; }
    void extend_line(Move move, int ply) {
        Line& longer = line(ply);
        longer.clear();
        longer.push(move);
        for (const Move next : line(ply + 1)) longer.push(next);
    }

    void count_node() { nodes_.store(nodes() + 1, std::memory_order_relaxed); }  // one thread writes
    bool out_of_budget() {
        constexpr std::uint64_t nodes_between_looks_at_the_clock = 256;
        if (stop_->is_set() || (most_nodes_ && nodes() >= most_nodes_)) stopped_ = true;
        if (nodes() % nodes_between_looks_at_the_clock == 0 && watch_->out_of_time()) stopped_ = true;
        return stopped_;
    }

    // Proven scores count plies from the root outside the table and from the entry's own position inside it.
    static std::int16_t to_table(int score, int ply) {
        return static_cast<std::int16_t>(is_win(score) ? score + ply : is_win(-score) ? score - ply : score);
    }
    static int from_table(int score, int ply) {
        return is_win(score) ? score - ply : is_win(-score) ? score + ply : score;
    }

    Table& table_;
    std::vector<Line> pv_;  // by ply
    MoveOrder<P> order_;
    Knowledge<P> knowledge_;
    P root_;
    const StopFlag* stop_ = nullptr;
    const Stopwatch* watch_ = nullptr;
    std::uint64_t most_nodes_ = 0;
    std::atomic<std::uint64_t> nodes_ = 0;
    bool stopped_ = false;
    Move unfinished_ = no_move;
};

}  // namespace fiedler
