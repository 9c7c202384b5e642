// Negamax: iterative deepening of alpha-beta, on one thread or on many that share a table.
#pragma once

#include <memory>
#include <thread>
#include <vector>

#include "alpha_beta.hpp"

namespace fiedler {

struct NegamaxOptions {
    std::size_t hash_mb = 16;  // of the transposition table
    std::size_t threads = 1;
};

template <Position P>
class Negamax {
  public:
    explicit Negamax(const NegamaxOptions& options) : table_(options.hash_mb) {
        while (searchers_.size() < std::max<std::size_t>(options.threads, 1))
            searchers_.push_back(std::make_unique<AlphaBeta<P>>(table_));
    }

    // Forget everything learned from earlier positions.
    void clear() {
        table_.clear();
        for (auto& searcher : searchers_) searcher->clear();
    }

    // Search until a limit, the stop flag or a proven result ends it. `on_info` hears of every finished iteration. With
    // one thread the same position, limits (without time) and history of calls since `clear` give the same tree.
    SearchInfo search(const P& root, const Limits& limits, const StopFlag& stop, const OnInfo& on_info = {}) {
        const Stopwatch watch(limits, stop);
        table_.new_search();
        StopFlag halt;
        AlphaBeta<P>& first = *searchers_.front();
        active_ = start(root, limits, stop, halt, watch);
        SearchInfo info = first_info(first.root_moves());
        if (info.best == no_move) return info;
        const int last = std::min(limits.depth ? limits.depth : plies_left(root), plies_left(root));
        const Helpers helpers(*this, halt, last);
        for (int depth = 1; depth <= last; ++depth) {
            const int score = first.search(depth);
            if (!first.line().empty()) {
                if (first.stopped() && is_win(-score)) {
                    if (!info.mate) info.best = first.unfinished(), info.pv = {info.best};
                } else {
                    report(depth - first.stopped(), score, watch, info);
                }
            }
            if (first.stopped()) break;
            info.proven_draw = !info.mate && depth >= plies_left(root);
            if (info.proven_draw) info.score = 0.5;
            if (on_info) on_info(info);
            if (settled(info, score, depth) || watch.out_of_time() || watch.stopped()) break;
        }
        info.nodes = nodes();
        info.seconds = watch.seconds();
        return info;
    }

  private:
    // Lazy SMP: the other threads search the same position, every second one a ply deeper, and what they find reaches
    // the first through the table. They live as long as this object.
    class Helpers {
      public:
        Helpers(Negamax& search, StopFlag& halt, int last) : halt_(halt) {
            for (std::size_t i = 1; i < search.active_; ++i)
                threads_.emplace_back([&helper = *search.searchers_[i], first = 1 + static_cast<int>(i % 2), last] {
                    for (int depth = first; depth <= last && !helper.stopped(); ++depth) helper.search(depth);
                });
        }
        ~Helpers() { halt_.set(); }
        Helpers(const Helpers&) = delete;
        Helpers& operator=(const Helpers&) = delete;

      private:
        StopFlag& halt_;
        std::vector<std::jthread> threads_;
    };

    // The first thread heeds the caller's flag, the others the first's; each gets an equal share of the nodes, and who
    // would get none stays out. Gives back how many take part.
    std::size_t start(const P& root, const Limits& limits, const StopFlag& stop, const StopFlag& halt,
                      const Stopwatch& watch) {
        std::size_t threads = searchers_.size();
        if (limits.nodes) threads = static_cast<std::size_t>(std::min<std::uint64_t>(threads, limits.nodes));
        const std::uint64_t share = limits.nodes / threads;
        for (std::size_t i = 0; i < threads; ++i)
            searchers_[i]->start(root, i ? halt : stop, watch, i ? share : limits.nodes - share * (threads - 1));
        return threads;
    }

    // Nothing more is to be found. A win that the table knows from an earlier search may lie deeper than this
    // iteration, which has then not seen whether there is a shorter one.
    static bool settled(const SearchInfo& info, int score, int depth) {
        return is_proven(score) ? win_score - std::abs(score) <= depth : info.proven_draw;
    }

    static SearchInfo first_info(const Moves<P>& moves) {
        SearchInfo info;
        if (moves.empty()) return info;
        info.best = moves[0];
        info.pv = {info.best};
        return info;
    }

    // Fill in what an iteration found. After a stop in the middle of one, the line found so far is at least as good as
    // the one before, since the old best move was searched first. (If all moves looked at lose, this is not called:
    // the result is not proven, and the move in whose search the stop came is the one that may not lose.)
    void report(int depth, int score, const Stopwatch& watch, SearchInfo& info) {
        const auto& line = searchers_.front()->line();
        info.depth = depth;
        info.pv.assign(line.begin(), line.end());
        info.best = info.pv.front();
        info.nodes = nodes();
        info.seconds = watch.seconds();
        info.score = expected_score(score);
        info.mate.reset();
        if (is_win(score)) info.mate = (win_score - score + 1) / 2;
        if (is_win(-score)) info.mate = -(win_score + score + 1) / 2;
        if (info.mate) info.score = *info.mate > 0 ? 1 : 0;
    }

    std::uint64_t nodes() const {
        std::uint64_t sum = 0;
        for (std::size_t i = 0; i < active_; ++i) sum += searchers_[i]->nodes();
        return sum;
    }

    Table table_;
    std::vector<std::unique_ptr<AlphaBeta<P>>> searchers_;  // one a thread
    std::size_t active_ = 0;                                // of them, in this search
};

}  // namespace fiedler
