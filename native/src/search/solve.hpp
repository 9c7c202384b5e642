// Solving: searches of the smallest window to the end of the game, for its result and the number of plies.
#pragma once

#include <functional>
#include <vector>

#include "core/knowledge.hpp"
#include "search/budget.hpp"
#include "search/score.hpp"
#include "search/solve_table.hpp"

namespace fiedler {

// The proof of the threads for the root so far: its score is in low .. high.
class Verdict {
  public:
    void open(int low, int high) {
        least_ = {static_cast<std::int16_t>(low), no_move};
        high_ = high;
    }
    int low() const { return least_.load(std::memory_order_relaxed).score; }
    int high() const { return high_.load(std::memory_order_relaxed); }
    bool settled() const { return low() >= high(); }
    // The move that gets at least `low`; no_move if every one does.
    Move best() const { return least_.load(std::memory_order_relaxed).move; }

    void at_least(int score, Move move) {
        for (Least old = least_; old.score < score;)
            if (least_.compare_exchange_weak(old, {static_cast<std::int16_t>(score), move})) return;
    }
    void at_most(int score) {
        for (int old = high(); old > score;)
            if (high_.compare_exchange_weak(old, score)) return;
    }
    // Whether it is already decided that the score is higher than `test`, or not.
    bool decides(int test) const { return low() > test || high() <= test; }
    // The next test: any win, then a draw, then a quicker win or a longer loss.
    int next_test() const {
        if (decides(0)) return low() > 0 ? low() : high() - 1;
        return 0;
    }

  private:
    struct Least {
        std::int16_t score;
        Move move;
    };
    std::atomic<Least> least_{{0, no_move}};
    std::atomic<int> high_ = 0;
};

// One thread of it. Several with different `variation` share a table and a verdict.
template <Position P>
    requires HasSolving<P>
class Solver {
  public:
    static_assert(P::max_plies <= SolveTable::most_plies && P::max_moves <= 256);
    using Line = std::vector<Move>;

    Solver(SolveTable& table, Budget& budget, unsigned variation = 0)
        : table_(table), budget_(budget), variation_(variation) {}

    // The verdict on a root without a proof at a glance.
    static void open(Verdict& verdict) {
        constexpr int plies = P::proof_plies;
        verdict.open(-(win_score - plies - 2), win_score - plies - 1);
    }
    // Search until the open verdict on `root` is settled or the budget is spent. `meanwhile` is called now and then: it
    // returns the number of nodes until its next call.
    void solve(const P& root, Verdict& verdict, const std::function<std::uint64_t()>& meanwhile = {}) {
        verdict_ = &verdict;
        meanwhile_ = meanwhile ? &meanwhile : nullptr;
        pause_ = 0;
        knowledge_.reset(root);
        while (!verdict.settled() && !budget_.spent()) {
            test_ = verdict.next_test();
            halted_ = false;
            ask_root(root);
        }
    }
    // Best moves on both sides up to the end of the game, as far as the budget reaches, from a position of this score.
    Line line(P position, int score) {
        Line line;
        meanwhile_ = nullptr;
        verdict_ = nullptr;
        halted_ = false;
        for (int ply = 0; position.outcome() == Outcome::running; ++ply) {
            const Move move = worth(position, ply % 2 ? -score : score, ply);
            if (move == no_move) break;
            line.push_back(move);
            position.play(move);
        }
        return line;
    }

  private:
    // The bounds of a position without a search, for the side that has just moved into it: its score is in least ..
    // most.
    struct Glance {
        int least = -infinite_score, most = infinite_score;
    };
    struct Child {
        P position;
        std::uint64_t key;
    };

    void ask_root(const P& root) {
        int best = -infinite_score;
        for (const Move move : promising(root)) {
            P child = root;
            child.play(move);
            const int score = value(child, test_, 1);
            if (halted_) return;
            if (score > test_) return verdict_->at_least(score, move);
            best = std::max(best, score);
        }
        verdict_->at_most(best);
    }
    // A move that gets `score` or more: one from the table, else one from a search.
    Move worth(const P& position, int score, int ply) {
        const Moves<P> moves = promising(position);
        for (const Move move : moves) {
            P child = position;
            child.play(move);
            if (known_value(child, ply + 1) >= score) return move;
        }
        for (const Move move : moves) {
            P child = position;
            child.play(move);
            const int got = value(child, score - 1, ply + 1);
            if (halted_) return no_move;
            if (got >= score) return move;
        }
        return no_move;
    }
    Moves<P> promising(const P& position) {
        Moves<P> moves, sorted;
        std::array<int, P::max_moves> order;
        knowledge_.candidates(position, moves);
        for (std::size_t i = 0; i < moves.size(); ++i) order[i] = rank(knowledge_.order(position, moves[i]), i);
        sort_down(order.data(), moves.size());
        for (std::size_t i = 0; i < moves.size(); ++i) sorted.push(moves[static_cast<std::size_t>(order[i] & 0xff)]);
        return sorted;
    }
    // A lower bound of `child` for the side that moved into it, without a search.
    int known_value(const P& child, int ply) {
        const Glance glance = look(child, ply);
        const Proven known = table_.find(child.symmetric_key());
        if (!known.known || known.lower || glance.least == glance.most) return glance.least;
        return std::max(glance.least, -from_table(known.value, ply));
    }
    // The score of `child` for the side that moved into it, or a bound on the side of `test` on which it lies.
    int value(const P& child, int test, int ply) {
        const Glance glance = look(child, ply);
        if (glance.least > test || glance.least == glance.most) return glance.least;
        return -visit(child, -test - 1, ply, child.symmetric_key());
    }
    Glance look(const P& child, int ply) {
        switch (child.outcome()) {
            case Outcome::loss: return {win_score - ply, win_score - ply};
            case Outcome::win: return {-(win_score - ply), -(win_score - ply)};
            case Outcome::draw: return {0, 0};
            case Outcome::running: break;
        }
        if (const int plies = knowledge_.proven_plies(child)) {
            const int score = -proven_score(plies, ply);
            return {score, score};
        }
        const int ceiling = child.ceiling();
        if (ceiling > 0) return {};
        return {ceiling ? -proven_score(ceiling, ply) : 0, infinite_score};
    }

    // Whether the score of `position`, which has no proof at a glance, is above `alpha`: a lower bound that is, or an
    // upper bound that is not. Meaningless once halted_ is set.
    int visit(const P& position, int alpha, int ply, std::uint64_t key) {
        if (halt()) return 0;
        constexpr int quick_win = P::proof_plies + 1, quick_loss = P::proof_plies + 2;
        if (win_score - ply - quick_win <= alpha) return win_score - ply - quick_win;
        if (-(win_score - ply - quick_loss) > alpha) return -(win_score - ply - quick_loss);
        const Proven known = table_.find(key);
        if (known.known) {
            const int score = from_table(known.value, ply);
            if (known.lower ? score > alpha : score <= alpha) return score;
        }
        const std::uint64_t before = budget_.nodes();
        const int score = visit_children(position, alpha, ply);
        if (!halted_) table_.store(key, to_table(score, ply), score > alpha, budget_.nodes() - before + 1);
        return score;
    }
    int visit_children(const P& position, int alpha, int ply) {
        constexpr int plies_worth_a_look_at_every_child = 10;
        const bool far = plies_left(position) > plies_worth_a_look_at_every_child;
        Moves<P> moves;
        knowledge_.candidates(position, moves);
        std::array<Child, P::max_moves> children;
        std::array<int, P::max_moves> order;
        std::size_t count = 0;
        int best = -infinite_score;
        for (const Move move : moves) {
            Child& child = children[count];
            child.position = position;
            child.position.play(move);
            const Glance glance = look(child.position, ply + 1);
            if (glance.least > alpha) return glance.least;
            if (glance.least == glance.most) {
                best = std::max(best, glance.least);
                continue;
            }
            if (far) table_.prefetch(child.key = child.position.symmetric_key());
            order[count] = rank(knowledge_.order(position, move), count);
            ++count;
        }
        // Enhanced transposition cutoffs (Plaat, Schaeffer, Pijls and de Bruin 1996).
        for (std::size_t i = 0; far && i < count; ++i) {
            const Proven known = table_.find(children[i].key);
            const int score = -from_table(known.value, ply + 1);
            if (known.known && !known.lower && score > alpha) return score;
        }
        sort_down(order.data(), count);
        for (std::size_t i = 0; i < count; ++i) {
            Child& child = children[static_cast<std::size_t>(order[i] & 0xff)];
            if (!far) table_.prefetch(child.key = child.position.symmetric_key());
            best = std::max(best, -visit(child.position, -alpha - 1, ply + 1, child.key));
            if (halted_ || best > alpha) break;
        }
        return best;
    }
    // Promise first, the place in the list in the lowest bits; between equals the variation decides.
    int rank(int promise, std::size_t index) const {
        const auto place = static_cast<int>(index);
        return promise * (1 << 16) | ((place ^ static_cast<int>(variation_ & 7)) << 8) | place;
    }

    static void sort_down(int* values, std::size_t count) {
        for (std::size_t i = 1; i < count; ++i) {
            const int value = values[i];
            std::size_t at = i;
            for (; at > 0 && values[at - 1] < value; --at) values[at] = values[at - 1];
            values[at] = value;
        }
    }

    // Counts a node; true if the search must return, finally or because the verdict has decided the test.
    bool halt() {
        if (meanwhile_ && budget_.nodes() >= pause_) pause_ = (*meanwhile_)();
        if (!budget_.spend() || (verdict_ && verdict_->decides(test_))) halted_ = true;
        return halted_;
    }

    static int to_table(int score, int ply) {
        const int here = from_here(score, ply), fastest = win_score - SolveTable::most_plies - 1;
        return here > 0 ? here - fastest : here < 0 ? here + fastest : 0;
    }
    static int from_table(int value, int ply) {
        const int fastest = win_score - SolveTable::most_plies - 1;
        return from_root(value > 0 ? value + fastest : value < 0 ? value - fastest : 0, ply);
    }

    SolveTable& table_;
    Budget& budget_;
    unsigned variation_;
    Knowledge<P> knowledge_;
    Verdict* verdict_ = nullptr;
    const std::function<std::uint64_t()>* meanwhile_ = nullptr;
    std::uint64_t pause_ = 0;
    int test_ = 0;
    bool halted_ = false;
};

}  // namespace fiedler
