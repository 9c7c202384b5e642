// Alpha-beta in negamax form: iterative deepening, principal variation search, transposition table, killer and history
// ordering.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <memory>

#include "knowledge.hpp"
#include "limits.hpp"
#include "table.hpp"

namespace fiedler {

struct NegamaxOptions {
    std::size_t hash_mb = 16;  // of the transposition table
    std::size_t threads = 1;
};

// Scores are from the side to move, in centipawns of the UGI scale. A win in n plies from the root is win_score - n, a
// loss -(win_score - n); everything within `longest_win` plies of win_score is such a proven result.
template <Position P>
class Negamax {
  public:
    static constexpr int win_score = 30000, longest_win = 1000, infinity = 32000;

    explicit Negamax(const NegamaxOptions& options) : table_(options.hash_mb), stacks_(std::make_unique<Stacks>()) {}

    // Forget everything learned from earlier positions.
    void clear() {
        table_.clear();
        *stacks_ = Stacks{};
    }

    // Search until a limit, the stop flag or a proven result ends it. `on_info` hears of every finished iteration. The
    // same position, limits (without time) and history of calls since `clear` give the same tree.
    SearchInfo search(const P& root, const Limits& limits, const StopFlag& stop, const OnInfo& on_info = {}) {
        Stopwatch watch(limits, stop);
        watch_ = &watch;
        nodes_ = 0;
        stopped_ = false;
        unfinished_ = no_move;
        table_.new_search();
        age_history();
        knowledge_.reset(root);
        SearchInfo info = first_info(root);
        if (info.best == no_move || won_by_threats(root, info)) return info;
        const int last = std::min(limits.depth ? limits.depth : plies_left(root), plies_left(root));
        for (int depth = 1; depth <= last; ++depth) {
            const int score = visit(root, depth, -infinity, infinity, 0);
            if (!stacks_->pv[0].empty()) {
                if (stopped_ && is_win(-score)) {
                    if (!info.mate) info.best = unfinished_, info.pv = {unfinished_};
                } else {
                    report(depth - stopped_, score, info);
                }
            }
            if (stopped_) break;
            info.proven_draw = !info.mate && depth >= plies_left(root);
            if (info.proven_draw) info.score = 0.5;
            if (on_info) on_info(info);
            if (settled(info, score, depth) || watch.out_of_time() || watch.stopped()) break;
        }
        info.nodes = nodes_;
        info.seconds = watch.seconds();
        return info;
    }

  private:
    static_assert(P::max_plies <= 255, "the table keeps depths in eight bits");
    using Line = MoveList<P::max_plies>;
    static constexpr int history_limit = 1 << 20;
    // Where wins are found by threats nobody knows whether they are the shortest, so none is sought once there is one.
    static constexpr bool any_win_will_do = FindsForcedWins<Knowledge<P>, P>;

    // What the search remembers by ply and by move: lines found, killers, history.
    struct Stacks {
        std::array<Line, P::max_plies + 2> pv;
        std::array<std::array<Move, 2>, P::max_plies + 2> killers = no_killers();
        std::array<std::array<int, P::actions>, 2> history{};

        static constexpr auto no_killers() {
            std::array<std::array<Move, 2>, P::max_plies + 2> killers;
            killers.fill({no_move, no_move});
            return killers;
        }
    };

    static bool is_win(int score) { return score > win_score - longest_win; }
    static bool is_proven(int score) { return is_win(score) || is_win(-score); }

    // Nothing more is to be found. A win that the table knows from an earlier search may lie deeper than this
    // iteration, which has then not seen whether there is a shorter one.
    static bool settled(const SearchInfo& info, int score, int depth) {
        return is_proven(score) ? any_win_will_do || win_score - std::abs(score) <= depth : info.proven_draw;
    }

    // A win by continuous threats at the root needs no search.
    bool won_by_threats(const P& root, SearchInfo& info) {
        if constexpr (any_win_will_do) {
            constexpr std::uint64_t nodes = 100000;
            const ForcedWin win = knowledge_.forced_win(root, nodes);
            if (!win.plies) return false;
            info.depth = 1;
            info.best = win.first, info.pv = {win.first};
            info.mate = (win.plies + 1) / 2, info.score = 1;
            info.nodes = 1, info.seconds = watch_->seconds();
        }
        return info.mate.has_value();
    }

    SearchInfo first_info(const P& root) {
        SearchInfo info;
        Moves<P> moves;
        if (root.outcome() == Outcome::running) knowledge_.candidates(root, moves);
        if (moves.empty()) return info;
        order(root, moves, no_move, 0);
        info.best = moves[0];
        info.pv = {info.best};
        return info;
    }

    // Fill in what an iteration found. After a stop in the middle of one, the line found so far is at least as good as
    // the one before, since the old best move was searched first. (If all moves looked at lose, this is not called:
    // the result is not proven, and the move in whose search the stop came is the one that may not lose.)
    void report(int depth, int score, SearchInfo& info) {
        const Line& line = stacks_->pv[0];
        info.depth = depth;
        info.pv.assign(line.begin(), line.end());
        info.best = info.pv.front();
        info.nodes = nodes_;
        info.seconds = watch_->seconds();
        info.score = expected_score(score);
        info.mate.reset();
        if (is_win(score)) info.mate = (win_score - score + 1) / 2;
        if (is_win(-score)) info.mate = -(win_score + score + 1) / 2;
        if (info.mate) info.score = *info.mate > 0 ? 1 : 0;
    }

    // The score of `position`, `ply` plies below the root, searched `depth` plies deep: exact when it lies strictly
    // between alpha and beta, else a bound on that side. The value is meaningless once stopped_ is set.
    int visit(const P& position, int depth, int alpha, int beta, int ply) {
        stacks_->pv[static_cast<std::size_t>(ply)].clear();
        switch (position.outcome()) {
            case Outcome::loss: return -(win_score - ply);
            case Outcome::win: return win_score - ply;
            case Outcome::draw: return 0;
            case Outcome::running: break;
        }
        if (out_of_budget()) return 0;
        ++nodes_;
        if (const int plies = ply > 0 ? knowledge_.proven_plies(position) : 0)
            return plies > 0 ? win_score - ply - plies : -(win_score - ply + plies);
        if constexpr (any_win_will_do) {
            if (ply > 0)
                if (const ForcedWin win = knowledge_.forced_win(position, Knowledge<P>::threat_nodes(depth)); win.plies)
                    return win_score - ply - win.plies;
        }
        if (depth <= 0) return std::clamp(knowledge_.evaluate(position), -10000, 10000);
        const std::uint64_t key = position.key();
        const TableEntry* entry = table_.find(key);
        const Move known = entry ? entry->move : no_move;
        if (entry && ply > 0 && (entry->depth >= depth || (any_win_will_do && is_proven(entry->score)))) {
            const int score = from_table(entry->score, ply);
            if (entry->bound == Bound::exact || (entry->bound == Bound::lower && score >= beta) ||
                (entry->bound == Bound::upper && score <= alpha))
                return score;
        }
        return visit_children(position, depth, alpha, beta, ply, key, known);
    }

    int visit_children(const P& position, int depth, int alpha, int beta, int ply, std::uint64_t key, Move known) {
        Moves<P> moves;
        knowledge_.candidates(position, moves);
        order(position, moves, known, ply);
        const int floor = alpha;
        int best = -infinity;
        Move best_move = no_move;
        for (const Move move : moves) {
            P child = position;
            child.play(move);
            knowledge_.play(position, move);
            const int score = child_score(child, depth - 1, alpha, beta, ply + 1, best_move == no_move);
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
            if (alpha >= beta || (any_win_will_do && is_win(best))) {
                reward(position.side(), move, depth, ply);
                break;
            }
        }
        const Bound bound = best >= beta || (any_win_will_do && is_win(best)) ? Bound::lower
                            : best > floor                                    ? Bound::exact
                                                                              : Bound::upper;
        table_.store({key, to_table(best, ply), best_move, static_cast<std::uint8_t>(depth), bound});
        return best;
    }

    // Principal variation search: the first child gets the full window, the others must prove that they are better.
    int child_score(const P& child, int depth, int alpha, int beta, int ply, bool first) {
        if (first) return -visit(child, depth, -beta, -alpha, ply);
        const int score = -visit(child, depth, -alpha - 1, -alpha, ply);
        return score > alpha && score < beta && !stopped_ ? -visit(child, depth, -beta, -alpha, ply) : score;
    }

    // Table move, then killers, then what the game and the history say.
    void order(const P& position, Moves<P>& moves, Move known, int ply) {
        std::array<int, P::max_moves> scores;
        const auto& killers = stacks_->killers[static_cast<std::size_t>(ply)];
        const auto& history = stacks_->history[static_cast<std::size_t>(position.side())];
        for (std::size_t i = 0; i < moves.size(); ++i) {
            const Move move = moves[i];
            int score = history[move];
            score += knowledge_.order(position, move) * (history_limit / 8);
            if (move == killers[0] || move == killers[1]) score += history_limit;
            if (move == known) score = 1 << 30;
            std::size_t at = i;
            for (; at > 0 && scores[at - 1] < score; --at) scores[at] = scores[at - 1], moves[at] = moves[at - 1];
            scores[at] = score, moves[at] = move;
        }
    }

    void reward(int side, Move move, int depth, int ply) {
        auto& killers = stacks_->killers[static_cast<std::size_t>(ply)];
        if (killers[0] != move) killers = {move, killers[0]};
        int& history = stacks_->history[static_cast<std::size_t>(side)][move];
        history = std::min(history + depth * depth, history_limit - 1);
    }

    void age_history() {
        for (auto& side : stacks_->history)
            for (int& value : side) value /= 4;
        stacks_->killers = Stacks::no_killers();
    }

    void extend_line(Move move, int ply) {
        Line& line = stacks_->pv[static_cast<std::size_t>(ply)];
        const Line& rest = stacks_->pv[static_cast<std::size_t>(ply) + 1];
        line.clear();
        line.push(move);
        for (const Move next : rest) line.push(next);
    }

    bool out_of_budget() {
        constexpr std::uint64_t nodes_between_looks_at_the_clock = 512;
        if (watch_->stopped() || watch_->out_of_nodes(nodes_)) stopped_ = true;
        if (nodes_ % nodes_between_looks_at_the_clock == 0 && watch_->out_of_time()) stopped_ = true;
        return stopped_;
    }

    // Proven scores count plies from the root outside the table and from the entry's own position inside it.
    static std::int16_t to_table(int score, int ply) {
        return static_cast<std::int16_t>(is_win(score) ? score + ply : is_win(-score) ? score - ply : score);
    }
    static int from_table(int score, int ply) {
        return is_win(score) ? score - ply : is_win(-score) ? score + ply : score;
    }

    Table table_;
    std::unique_ptr<Stacks> stacks_;
    Knowledge<P> knowledge_;
    const Stopwatch* watch_ = nullptr;
    std::uint64_t nodes_ = 0;
    bool stopped_ = false;
    Move unfinished_ = no_move;  // of the root, in whose search the stop came
};

}  // namespace fiedler
