// Principal variation search to a fixed depth: the work of one thread of negamax.
#pragma once

#include <algorithm>
#include <cassert>
#include <cmath>
#include <memory>
#include <optional>
#include <vector>

#include "net/cell_net.hpp"
#include "search/budget.hpp"
#include "search/move_order.hpp"
#include "search/score.hpp"
#include "search/table.hpp"
#include "search/values.hpp"

namespace fiedler {

template <Position P>
class AlphaBeta {
  public:
    static constexpr int most_depth = 255;  // the table keeps depths in eight bits
    // The most plies below the root: a search continues past its depth only in games with forced replies.
    static constexpr int most_plies =
        KnowsForcedReplies<Knowledge<P>, P> ? P::max_plies : std::min(P::max_plies, most_depth);
    using Line = MoveList<most_plies>;

    // `values`, if any, evaluate the leaves in place of the game's knowledge. Scores are theirs then, in units of
    // 1 / value_scale. With them, and with knowledge that prunes, a search may leave out what they find hopeless.
    AlphaBeta(Table& table, Budget& budget, std::unique_ptr<Values<P>> values = nullptr)
        : table_(table), budget_(budget), values_(std::move(values)), pv_(most_plies + 2) {}

    // From now on a network of the game's knowledge evaluates.
    void use(std::shared_ptr<const CellNet> net)
        requires HasCellPatterns<P>
    {
        knowledge_.use(std::move(net));
    }

    void clear() { order_ = MoveOrder<P>(); }

    // Before the searches of one position; the budget must have been started.
    void start(const P& root) {
        root_ = root;
        stopped_ = false;
        salt_ = 0;
        unfinished_ = no_move;
        order_.age();
        knowledge_.reset(root);
        if constexpr (HeedsStops<Knowledge<P>>) knowledge_.heed(budget_.stop_flag());
    }
    // The moves of the root worth a search, best first.
    Moves<P> root_moves() {
        Moves<P> moves;
        if (root_.outcome() != Outcome::running) return moves;
        knowledge_.candidates(root_, moves);
        order_.sort(knowledge_, root_, moves, no_move, 0);
        return moves;
    }
    // The score of the root, searched `depth` plies deep; its line is in line(). If any win suffices, and with values,
    // late moves are first searched less deep, unless the search must see everything up to its depth (`all`).
    int search(int depth, bool all) {
        reducing_ = may_reduce() && !all;
        return visit(root_, depth, -infinite_score, infinite_score, 0);
    }

    // A win of the root's side by continuous threats, with at most `nodes` positions; plies 0 if none was found. A
    // second call may resume the search.
    ForcedWin forced_win(std::uint64_t nodes) {
        if constexpr (any_win_will_do<P>) return knowledge_.forced_win(root_, nodes);
        return {};
    }

    // Until the next start the opponent's wins by threats are overlooked: results of these searches are not proofs.
    void overlook_opponents_threats()
        requires OverlooksThreats<Knowledge<P>>
    {
        const int opponent = root_.side() ^ 1;
        knowledge_.overlook(opponent);
        salt_ = hash_words(static_cast<std::uint64_t>(opponent), 1);
    }

    bool stopped() const { return stopped_; }
    const Line& line() const { return pv_[0]; }
    // The move of the root in whose search the stop came.
    Move unfinished() const { return unfinished_; }

  private:
    // The score of `position`, `ply` plies below the root, searched `depth` plies deep: exact when it lies strictly
    // between alpha and beta, else a bound on that side. The value is meaningless once stopped_ is set. `key` is the
    // position's where depth > 0.
    int visit(const P& position, int depth, int alpha, int beta, int ply, std::uint64_t key = 0) {
        line(ply).clear();
        if (const auto score = score_by_rules(position, ply)) return *score;
        if (!budget_.spend()) stopped_ = true;
        if (stopped_) return 0;
        if (const int plies = ply > 0 ? knowledge_.proven_plies(position) : 0) return proven_score(plies, ply);
        if (ply > 0 && forced(position)) {
            if (depth <= 0) key = key_of(position);
            depth = std::max(depth, 0) + 1;
        }
        if (depth <= 0) {
            assert(!values_);  // leaves are the business of their parents
            if (const int score = won_by_threats(position, depth, ply).first) return score;
            return settled(position, alpha, beta, ply);
        }
        if (ply > 0) {  // no line from here is better than a win in the next ply, none worse than a loss in it
            alpha = std::max(alpha, -(win_score - ply - 1));
            beta = std::min(beta, win_score - ply - 1);
            if (alpha >= beta) return alpha;
        } else {
            key = key_of(position);
        }
        const Known known = table_.find(key);
        if (known.bound != Bound::none && ply > 0 &&
            (known.depth >= depth || (any_win_will_do<P> && is_proven(known.score)))) {
            const int score = from_root(known.score, ply);
            if (known.bound == Bound::exact || (known.bound == Bound::lower && score >= beta) ||
                (known.bound == Bound::upper && score <= alpha))
                return score;
        }
        if (const auto [score, move] = won_by_threats(position, depth, ply); score) {
            store(key, score, ply, move, depth, Bound::lower);
            return score;
        }
        if (ply > 0)
            if (const auto score = too_good(position, depth, alpha, beta)) return *score;
        return values_ && depth == 1 ? visit_leaves(position, alpha, beta, ply, key, known.move)
                                     : visit_children(position, depth, alpha, beta, ply, key, known.move);
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
            if (ply > 0 && unlikely(i, depth, alpha, beta) && !is_proven(best)) break;
            P child = position;
            child.play(move);
            std::uint64_t child_key = 0;
            if (depth > 1) table_.prefetch(child_key = key_of(child));
            knowledge_.play(position, move);
            const int score = child_score(child, depth - 1, alpha, beta, ply + 1, i, child_key);
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
            if (alpha >= beta || (any_win_will_do<P> && is_win(best))) {
                order_.reward(position.side(), move, depth, ply);
                break;
            }
        }
        if (is_win(-best) && selective(position)) best += win_score - unproven_win;
        store(key, best, ply, best_move, depth, bound_of(best, floor, beta));
        return best;
    }

    // The same one ply above the leaves, of which several are evaluated together.
    int visit_leaves(const P& position, int alpha, int beta, int ply, std::uint64_t key, Move known) {
        Moves<P> moves;
        knowledge_.candidates(position, moves);
        order_.sort(knowledge_, position, moves, known, ply);
        const int floor = alpha;
        int best = -infinite_score;
        Move best_move = no_move;
        const auto found = [&](Move move, int score) {
            if (score > best) best = score, best_move = move;
            if (score > alpha) {
                alpha = score;
                line(ply + 1).clear();
                extend_line(move, ply);
            }
        };
        std::array<P, leaves_together> leaves;
        std::array<Move, leaves_together> leading;  // the moves that lead to them
        std::array<float, leaves_together> values;
        std::size_t waiting = 0;
        const auto evaluate = [&] {
            values_->of(position, {leaves.data(), waiting}, values.data());
            for (std::size_t i = 0; i < waiting; ++i) found(leading[i], -score_of(values[i]));
            waiting = 0;
        };
        for (const Move move : moves) {
            if (!budget_.spend()) {
                stopped_ = true;
                if (ply == 0) unfinished_ = move;
                return best;
            }
            P& leaf = leaves[waiting];
            leaf = position;
            leaf.play(move);
            knowledge_.play(position, move);
            const auto score = score_without_search(leaf, ply + 1);
            knowledge_.undo(position, move);
            if (score) {
                found(move, -*score);
            } else {
                leading[waiting++] = move;
                if (waiting == leaves_together) evaluate();
            }
            if (alpha >= beta) break;
        }
        if (waiting && alpha < beta) evaluate();
        if (alpha >= beta) order_.reward(position.side(), best_move, 1, ply);
        store(key, best, ply, best_move, 1, bound_of(best, floor, beta));
        return best;
    }

    // The score that ends a search with a null window near its leaves: the position is worth more than the window by a
    // margin for each ply left (reverse futility pruning).
    std::optional<int> too_good(const P& position, int depth, int alpha, int beta) {
        if (!prunes() || beta - alpha > 1 || is_proven(beta)) return {};
        int score = 0;
        if (values_) {
            constexpr int plies = 4, margin = value_scale / 20;
            if (depth > plies) return {};
            score = score_of(values_->of(position)) - margin * depth;
        } else if constexpr (Prunes<Knowledge<P>>) {
            constexpr int plies = 3;
            if (depth > plies || forced(position)) return {};
            score = evaluation(position) - Knowledge<P>::margin * depth;
        }
        return score >= beta ? std::optional(score) : std::nullopt;
    }
    // Whether a search with a null window near its leaves does without the moves from number `index` on.
    bool unlikely(std::size_t index, int depth, int alpha, int beta) const {
        if constexpr (Prunes<Knowledge<P>>) {
            constexpr int plies = 3;
            return prunes() && !values_ && depth <= plies && beta - alpha == 1 &&
                   index >= Knowledge<P>::likely * static_cast<std::size_t>(depth);
        }
        return false;
    }
    // Whether this search leaves out moves that its evaluation finds hopeless.
    bool prunes() const { return reducing_ && (values_ || Prunes<Knowledge<P>>); }

    // The score of a leaf: its evaluation, or a better one after moves that change it at once (quiescence search).
    int settled(const P& position, int alpha, int beta, int ply) {
        int best = evaluation(position);
        if constexpr (KnowsLoudMoves<Knowledge<P>, P>) {
            if (best >= beta || ply >= most_plies) return best;
            alpha = std::max(alpha, best);
            Moves<P> moves;
            knowledge_.loud_moves(position, moves);
            order_.sort(knowledge_, position, moves, no_move, ply);
            for (const Move move : moves) {
                if (!budget_.spend()) stopped_ = true;
                if (stopped_) return best;
                P child = position;
                child.play(move);
                knowledge_.play(position, move);
                const auto over = score_by_rules(child, ply + 1);
                best = std::max(best, over ? -*over : -settled(child, -beta, -alpha, ply + 1));
                knowledge_.undo(position, move);
                alpha = std::max(alpha, best);
                if (alpha >= beta) break;
            }
        }
        return best;
    }

    // The game's, or its network's. No evaluation is a proof.
    int evaluation(const P& position) {
        return std::clamp(knowledge_.evaluate(position), -most_unproven, most_unproven);
    }
    std::optional<int> score_by_rules(const P& position, int ply) const {
        switch (position.outcome()) {
            case Outcome::loss: return -(win_score - ply);
            case Outcome::win: return win_score - ply;
            case Outcome::draw: return 0;
            default: return {};
        }
    }
    // The score of the position at the end of the path by the rules, or by a proof of the game.
    std::optional<int> score_without_search(const P& position, int ply) {
        if (const auto score = score_by_rules(position, ply)) return score;
        if (const int plies = knowledge_.proven_plies(position)) return proven_score(plies, ply);
        return {};
    }
    static int score_of(float value) { return static_cast<int>(std::lround(value_scale * value)); }
    static Bound bound_of(int best, int floor, int beta) {
        const bool at_least = best >= beta || (any_win_will_do<P> && is_win(best));
        return at_least ? Bound::lower : best > floor ? Bound::exact : Bound::upper;
    }

    // Principal variation search: the first child gets the full window, the others must prove that they are better;
    // late ones are first searched less deep.
    int child_score(const P& child, int depth, int alpha, int beta, int ply, std::size_t index, std::uint64_t key) {
        if (index == 0) return -visit(child, depth, -beta, -alpha, ply, key);
        constexpr std::size_t late = 3;
        if (reducing_ && index >= late && depth >= 2) {
            const int nearer = -visit(child, depth - reduction(depth, index), -alpha - 1, -alpha, ply, key);
            if (nearer <= alpha || stopped_) return nearer;
        }
        const int score = -visit(child, depth, -alpha - 1, -alpha, ply, key);
        return score > alpha && score < beta && !stopped_ ? -visit(child, depth, -beta, -alpha, ply, key) : score;
    }

    // By how many plies the first search of a late child is less deep, so that one is left: where moves are left out,
    // the more, the deeper the search and the later the child.
    int reduction(int depth, std::size_t index) const {
        if (!prunes()) return 1;
        const double plies = std::log(depth) * std::log(static_cast<double>(index + 1)) / 1.4;
        return std::clamp(static_cast<int>(plies + 0.5), values_ ? 0 : 1, depth - 1);
    }

    // The score and the first move of a win by threats; score 0 if none was found. At the root the caller searches
    // them, with more time.
    std::pair<int, Move> won_by_threats(const P& position, int depth, int ply) {
        if constexpr (any_win_will_do<P>)
            if (ply > 0)
                if (const ForcedWin win = knowledge_.forced_win(position, Knowledge<P>::threat_nodes(depth)); win.plies)
                    return {proven_score(win.plies, ply), win.first};
        return {0, no_move};
    }

    bool forced(const P& position) {
        if constexpr (KnowsForcedReplies<Knowledge<P>, P>) return knowledge_.forced(position);
        return false;
    }

    bool selective(const P& position) {
        if constexpr (LeavesMovesOut<Knowledge<P>, P>) return knowledge_.selective(position);
        return false;
    }

    void store(std::uint64_t key, int score, int ply, Move move, int depth, Bound bound) {
        const auto kept = static_cast<std::int16_t>(from_here(score, ply));
        table_.store(key, {kept, move, static_cast<std::uint8_t>(depth), bound});
    }

    // Searches that see everything do not trust the entries of others, and no search trusts the entries of those that
    // overlook threats.
    std::uint64_t key_of(const P& position) const {
        constexpr std::uint64_t of_all = 0x9e3779b97f4a7c15ULL;
        return position.key() ^ salt_ ^ (may_reduce() && !reducing_ ? of_all : 0);
    }
    bool may_reduce() const { return any_win_will_do<P> || values_; }

    Line& line(int ply) { return pv_[static_cast<std::size_t>(ply)]; }
    void extend_line(Move move, int ply) {
        Line& longer = line(ply);
        longer.clear();
        longer.push(move);
        for (const Move next : line(ply + 1)) longer.push(next);
    }

    static constexpr std::size_t leaves_together = 4;  // many beta cutoffs come early

    Table& table_;
    Budget& budget_;
    std::unique_ptr<Values<P>> values_;
    std::vector<Line> pv_;  // by ply
    MoveOrder<P> order_;
    Knowledge<P> knowledge_;
    P root_;
    std::uint64_t salt_ = 0;  // of searches that overlook threats
    bool reducing_ = false;
    bool stopped_ = false;
    Move unfinished_ = no_move;
};

}  // namespace fiedler
