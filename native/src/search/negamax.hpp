// Negamax: iterative deepening of alpha-beta, and solving of games that can be solved, on one thread or on many.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "core/joined_thread.hpp"
#include "search/alpha_beta.hpp"
#include "search/proven_root.hpp"
#include "search/solve.hpp"

namespace fiedler {

struct NegamaxOptions {
    std::size_t hash_mb = 64;  // of the transposition table and the solver's together, each of which takes one at least
    std::size_t threads = 1;
};

// The parts for solving of a game that offers it.
template <Position P>
struct Solving {
    explicit Solving(std::size_t) {}
    void clear() {}
};
template <Position P>
    requires HasSolving<P>
struct Solving<P> {
    explicit Solving(std::size_t megabytes) : table(megabytes) {}
    void clear() { table.clear(); }

    SolveTable table;
    Verdict verdict;
};

template <Position P>
class Negamax {
  public:
    // Makes the source of values of one thread.
    using MakeValues = std::function<std::unique_ptr<Values<P>>()>;

    // `values`, if any, evaluate in place of the game's knowledge.
    explicit Negamax(const NegamaxOptions& options, const MakeValues& values = {})
        : table_(HasSolving<P> ? options.hash_mb / 2 : options.hash_mb),
          solving_(options.hash_mb / 2),
          by_values_(values) {
        while (threads_.size() < std::max<std::size_t>(options.threads, 1))
            threads_.push_back(std::make_unique<Thread>(table_, values ? values() : nullptr));
    }

    // From now on a network of the game's knowledge evaluates.
    void use(const std::shared_ptr<const CellNet>& net)
        requires HasCellPatterns<P>
    {
        for (auto& thread : threads_) thread->search.use(net);
    }

    // Forget everything learned from earlier positions.
    void clear() {
        table_.clear();
        solving_.clear();
        for (auto& thread : threads_) thread->search.clear();
    }

    // Search until a limit, the stop flag or a proven result ends it. `on_info` receives every finished iteration. With
    // one thread the same position, limits (without time) and history of calls since `clear` give the same tree.
    SearchInfo search(const P& root, const Limits& limits, const StopFlag& stop, const OnInfo& on_info = {}) {
        const Stopwatch watch(limits, stop);
        table_.new_search();
        StopFlag halt;
        start(root, limits, stop, halt, watch);
        Deepening deepening{watch, on_info};
        deepening.info = first_info(first().root_moves());
        if (deepening.info.best == no_move) return deepening.info;
        if (!won_by_threats(deepening)) {
            const int last = std::min(plies_left(root), AlphaBeta<P>::most_depth);
            deepening.last = limits.depth ? std::min(limits.depth, last) : last;
            const bool solve = solvable(root, limits);
            const Helpers helpers(*this, root, halt, deepening.last, solve);
            if (solve) {
                solve_and_deepen(root, deepening);
            } else {
                while (deepen(root, deepening)) continue;
            }
        }
        resist(deepening);
        show_the_end(root, watch, deepening.info, deepening.threats);
        deepening.info.nodes = nodes();
        deepening.info.seconds = watch.seconds();
        return deepening.info;
    }

  private:
    struct Thread {
        Thread(Table& table, std::unique_ptr<Values<P>> values) : search(table, budget, std::move(values)) {}

        Budget budget;
        AlphaBeta<P> search;
    };

    // The progress of the first thread.
    struct Deepening {
        const Stopwatch& watch;
        const OnInfo& on_info;
        int last = 0;               // the depth to reach
        int depth = 0;              // the iteration that is finished
        int score = 0;              // of that
        std::uint64_t threats = 0;  // positions that the root's search by threats could look at
        SearchInfo info{};
    };

    // Lazy SMP: the other threads search the same position, every second one a ply deeper, and their results reach the
    // first through the tables. In a game that can be solved, every second one solves. They live as long as this
    // object.
    class Helpers {
      public:
        Helpers(Negamax& owner, const P& root, StopFlag& halt, int last, bool solve) : halt_{halt} {
            for (std::size_t i = 1; i < owner.threads_.size(); ++i)
                threads_.emplace_back([&owner, &root, i, last, solve] { owner.help(i, root, last, solve); });
        }
        Helpers(const Helpers&) = delete;
        Helpers& operator=(const Helpers&) = delete;

      private:
        struct Halt {
            ~Halt() { flag.set(); }
            StopFlag& flag;
        };
        std::vector<JoinedThread> threads_;
        Halt halt_;  // ends before the threads, which are waited for, even if one of them could not be started
    };

    void help(std::size_t number, const P& root, int last, bool solve) {
        Thread& thread = *threads_[number];
        if constexpr (HasSolving<P>) {
            if (solve && number % 2)
                return Solver<P>(solving_.table, thread.budget, static_cast<unsigned>(number))
                    .solve(root, solving_.verdict);
        }
        for (int depth = 1 + static_cast<int>(number % 2); depth <= last && !thread.search.stopped(); ++depth)
            thread.search.search(depth, depth >= plies_left(root));
    }

    // The first thread heeds the caller's flag, the others the first's.
    void start(const P& root, const Limits& limits, const StopFlag& stop, const StopFlag& halt,
               const Stopwatch& watch) {
        pool_.start(limits.nodes, threads_.size());
        for (const auto& thread : threads_) {
            thread->budget.start(thread == threads_.front() ? stop : halt, watch, pool_);
            thread->search.start(root);
        }
    }

    // One more iteration; false if there is nothing more to do.
    bool deepen(const P& root, Deepening& state) {
        SearchInfo& info = state.info;
        const int depth = state.depth + 1, score = first().search(depth, depth >= plies_left(root));
        const bool stopped = first().stopped();
        if (!first().line().empty()) {
            if (stopped && is_win(-score)) {
                if (!info.mate) info.best = first().unfinished(), info.pv = {info.best};
            } else {
                const Move before = info.best;
                report(depth - stopped, score, first().line(), state);
                // If any win suffices, the longest loss is unknown: the best move of the last iteration without the
                // loss leaves a fallible opponent the most to find.
                if (any_win_will_do<P> && is_win(-score)) info.best = before, info.pv = {before};
            }
        }
        if (stopped) return false;
        state.depth = depth;
        state.score = score;
        info.proven_draw = !info.mate && depth >= plies_left(root);
        if (info.proven_draw) info.score = 0.5;
        if (state.on_info) state.on_info(info);
        return depth < state.last && !settled(info, score, depth) && !state.watch.out_of_time() &&
               !state.watch.stopped();
    }

    // A fallible opponent may not find the win by threats that makes a game lost. So the best move against an opponent
    // who finds none is played: that of the last iteration, of a few, in which not all moves lose anyway.
    void resist(Deepening& state) {
        if constexpr (OverlooksThreats<Knowledge<P>>) {
            constexpr int deep_enough = 8;
            SearchInfo& info = state.info;
            if (!info.mate || *info.mate > 0) return;
            AlphaBeta<P>& search = first();
            search.overlook_opponents_threats();
            const int last = std::min(state.last, deep_enough);
            for (int depth = 1, score = 0; depth <= last && !search.stopped() && !is_win(score); ++depth) {
                score = search.search(depth, false);
                if (search.line().empty() || (is_win(-score) && !search.stopped())) break;
                info.best = is_win(-score) ? search.unfinished() : search.line()[0];
            }
            info.pv = {info.best};
        }
    }

    // Whether the search is complete. A win that the table has from an earlier search may be deeper than this
    // iteration, which then may have missed a shorter one.
    static bool settled(const SearchInfo& info, int score, int depth) {
        if (is_proven(score)) return any_win_will_do<P> || win_score - std::abs(score) <= depth;
        return info.proven_draw;
    }

    // A win by continuous threats at the root needs no other search. It gets about a tenth of the time, or a fourth of
    // the positions; in turns, each as long as all before, so that a stop takes effect.
    bool won_by_threats(Deepening& state) {
        if constexpr (any_win_will_do<P>) {
            const Limits& limits = state.watch.limits();
            std::uint64_t left = limits.nodes ? std::max(limits.nodes / 4, Knowledge<P>::threat_nodes(0)) : 100000;
            for (std::uint64_t turn = 2000; left; turn *= 2) {
                const std::uint64_t nodes = std::min(left, turn);
                state.threats += nodes;
                if (const ForcedWin win = first().forced_win(nodes); win.plies) {
                    report(win.plies, win_score - win.plies, std::array{win.first}, state);
                    if (state.on_info) state.on_info(state.info);
                    break;
                }
                left -= nodes;
                if (state.watch.stopped() || (limits.seconds > 0 && 20 * state.watch.seconds() > limits.seconds)) break;
            }
        }
        return state.info.mate.has_value();
    }

    bool solvable(const P& root, const Limits& limits) {
        if constexpr (HasSolving<P>) {
            Knowledge<P> knowledge;
            knowledge.reset(root);
            Solver<P>::open(solving_.verdict);
            return !limits.depth && !knowledge.proven_plies(root);
        }
        return false;
    }

    // Solving, with iterations in between: in turns at first, since the time is unknown, then fewer and fewer of them.
    void solve_and_deepen(const P& root, Deepening& state) {
        if constexpr (HasSolving<P>) {
            constexpr std::uint64_t in_turns = 1 << 15, later = 64, never = ~std::uint64_t{0};
            Verdict& verdict = solving_.verdict;
            Budget& budget = threads_.front()->budget;
            std::uint64_t deepened = 0;  // nodes of the iterations
            const std::function<std::uint64_t()> iterate = [&] {
                const std::uint64_t before = budget.nodes();
                if (!deepen(root, state)) {
                    if (state.info.proven()) verdict.open(state.score, state.score);
                    return never;
                }
                deepened += budget.nodes() - before;
                return budget.nodes() + (deepened < in_turns ? deepened : later * deepened);
            };
            Solver<P> solver(solving_.table, budget);
            solver.solve(root, verdict, iterate);
            report_verdict(root, solver, state);
        }
    }
    // The findings of the solver, complete or partial.
    void report_verdict(const P& root, auto& solver, Deepening& state) {
        SearchInfo& info = state.info;
        const Verdict& verdict = solving_.verdict;
        const int score = verdict.low();
        std::vector<Move> line;
        if (verdict.settled()) line = solver.line(root, score);
        if (line.empty() && verdict.best() != no_move) line = {verdict.best()};
        if (line.empty()) line = {info.best};
        if (verdict.settled() || (is_win(score) && !info.mate))
            report(static_cast<int>(line.size()), score, line, state);
        info.proven_draw = verdict.settled() && score == 0;
        if (verdict.settled() && state.on_info) state.on_info(info);
    }

    static SearchInfo first_info(const Moves<P>& moves) {
        SearchInfo info;
        if (moves.empty()) return info;
        info.best = moves[0];
        info.pv = {info.best};
        return info;
    }

    // Fill in the findings of an iteration. After a stop in the middle of one, the line found so far is at least as
    // good as the one before, since the old best move was searched first. (If all searched moves lose, this is not
    // called: the result is not proven, and the move in whose search the stop came may not lose.)
    template <class Line>
    void report(int depth, int score, const Line& line, Deepening& state) {
        SearchInfo& info = state.info;
        info.depth = depth;
        info.pv.assign(line.begin(), line.end());
        info.best = info.pv.front();
        info.nodes = nodes();
        info.seconds = state.watch.seconds();
        info.score = by_values_ ? (1 + static_cast<double>(score) / value_scale) / 2 : expected_score(score);
        info.mate.reset();
        if (is_proven(score)) report_decided(score > 0, win_score - std::abs(score), info);
    }

    AlphaBeta<P>& first() { return threads_.front()->search; }
    std::uint64_t nodes() const {
        std::uint64_t sum = 0;
        for (const auto& thread : threads_) sum += thread->budget.nodes();
        return sum;
    }

    Table table_;
    Solving<P> solving_;
    bool by_values_;
    std::vector<std::unique_ptr<Thread>> threads_;
    NodePool pool_;  // of this search
};

}  // namespace fiedler
