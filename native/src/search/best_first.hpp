// Best-first minimax for a player: one tree, in which one thread or several work.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <exception>
#include <limits>
#include <memory>
#include <mutex>
#include <vector>

#include "core/joined_thread.hpp"
#include "core/limits.hpp"
#include "search/best_first_tree.hpp"
#include "search/proven_root.hpp"

namespace fiedler {

// One player's search.
template <Position P>
class BestFirst {
  public:
    // A source of values for each thread.
    BestFirst(std::vector<std::unique_ptr<Values<P>>> values, const BestFirstOptions& options)
        : tree_(std::move(values.front()), options) {
        for (std::size_t i = 1; i < values.size(); ++i)
            others_.push_back(std::make_unique<Worker>(Worker{.values = std::move(values[i])}));
    }

    void clear() { tree_.clear(); }
    void seed(std::uint64_t) {}  // nothing is random
    std::size_t size() const { return tree_.size(); }
    static constexpr std::size_t bytes_per_node() { return BestFirstTree<P>::bytes_per_node(); }
    std::vector<RootMove> root_moves() const { return tree_.root_moves(); }

    // Iterate until a limit, the stop flag, a proven root or a full tree ends it; `limits.nodes` counts expansions of
    // this call. With one thread, the same values, limits (without time) and history of calls since `clear` give the
    // same tree. Throws EvaluationError.
    SearchInfo search(const P& position, const Limits& limits, const StopFlag& stop, const OnInfo& on_info = {}) {
        const Stopwatch watch(limits, stop);
        if (position.outcome() != Outcome::running) return {};
        tree_.move_root(position, limits.seconds);
        const std::uint64_t expansions = others_.empty() ? iterate(watch, on_info) : iterate_together(watch, on_info);
        SearchInfo info = report(expansions, watch);
        show_the_end(position, watch, info);
        return info;
    }

  private:
    using Tree = BestFirstTree<P>;
    using Worker = typename Tree::Worker;
    using Lock = std::unique_lock<std::mutex>;

    static constexpr std::uint64_t first_info = 1000;

    // The expansions of one thread.
    std::uint64_t iterate(const Stopwatch& watch, const OnInfo& on_info) {
        const std::uint64_t between_looks_at_the_clock = tree_.fast() ? 16 : 1;
        std::uint64_t expansions = 0, next_info = first_info;
        for (std::uint64_t iteration = 1;; ++iteration) {
            const std::uint64_t done = tree_.iterate();
            expansions += done;
            if (!done || watch.stopped() || watch.out_of_nodes(expansions)) break;
            if (iteration % between_looks_at_the_clock == 0 && watch.out_of_time()) break;
            if (on_info && expansions >= next_info) {
                next_info *= 2;
                on_info(report(expansions, watch));
            }
        }
        return expansions;
    }

    // The state that the threads of one search share. The mutex guards it, and the tree but for the parts taken.
    struct Work {
        explicit Work(const Stopwatch& stopwatch) : watch(stopwatch) {}

        const Stopwatch& watch;
        std::mutex mutex;
        std::condition_variable changed;  // a part is back, or the members below are others
        std::uint64_t begun = 0;          // expansions, with those that the taken parts may bring
        std::size_t taken = 0;            // parts
        bool paused = false;              // no part is taken, for the sake of a reader
        bool done = false;
        std::exception_ptr error;

        // Expansions that may still begin.
        std::uint64_t left() const {
            const std::uint64_t limit = watch.limits().nodes;
            return !limit ? std::numeric_limits<std::uint64_t>::max() : limit - std::min(limit, begun);
        }
        void finish() {
            done = true;
            changed.notify_all();
        }
    };

    std::uint64_t iterate_together(const Stopwatch& watch, const OnInfo& on_info) {
        Work work(watch);
        work.begun = tree_.iterate();  // the root has children: what is reported has a move
        work.done = tree_.proven() || tree_.own().full;
        run_threads(work, on_info);
        if (work.error) {
            tree_.clear();
            std::rethrow_exception(work.error);
        }
        return work.begun;
    }
    // Returns when all threads have ended.
    void run_threads(Work& work, const OnInfo& on_info) {
        std::vector<JoinedThread> threads;
        struct End {  // ends the other threads, also after an exception
            ~End() {
                const Lock held(work.mutex);
                work.finish();
            }
            Work& work;
        } end{work};
        for (auto& other : others_)
            threads.emplace_back([&] {
                other->begin();
                work_until_done(*other, work, {});
            });
        work_until_done(tree_.own(), work, on_info);
    }
    void work_until_done(Worker& worker, Work& work, const OnInfo& on_info) {
        typename Tree::Part part;
        std::uint64_t next_info = first_info;
        Lock lock(work.mutex);
        while (!work.done) {
            const bool spent = !work.left();
            if (spent && !work.taken) return work.finish();
            if (spent || work.paused || !tree_.take(part)) {
                work.changed.wait(lock);
                continue;
            }
            work_alone(worker, part, work, lock);
            if (tree_.proven() || worker.full || work.watch.stopped() || work.watch.out_of_time()) work.finish();
            if (on_info && work.begun >= next_info) {
                next_info *= 2;
                inform(work, lock, on_info);
            }
        }
    }
    // Work in a part that has been taken, and give it back. The lock is released meanwhile.
    void work_alone(Worker& worker, typename Tree::Part& part, Work& work, Lock& lock) {
        part.wanted = std::min(part.wanted, work.left());
        work.begun += part.wanted;
        ++work.taken;
        lock.unlock();
        std::exception_ptr error;
        try {
            tree_.work(worker, part);
        } catch (const EvaluationError&) {
            error = std::current_exception();
        }
        lock.lock();
        --work.taken;
        work.begun += part.expansions - part.wanted;
        if (error) {
            work.error = error;
            work.finish();
        } else {
            tree_.give_back(part);
        }
        work.changed.notify_all();
    }
    void inform(Work& work, Lock& lock, const OnInfo& on_info) {
        work.paused = true;
        work.changed.wait(lock, [&] { return !work.taken; });
        const SearchInfo info = report(work.begun, work.watch);
        work.paused = false;
        work.changed.notify_all();
        if (work.error) return;
        lock.unlock();
        on_info(info);
        lock.lock();
    }

    SearchInfo report(std::uint64_t expansions, const Stopwatch& watch) const {
        SearchInfo info = tree_.report();
        info.nodes = expansions;
        info.seconds = watch.seconds();
        return info;
    }

    Tree tree_;
    std::vector<std::unique_ptr<Worker>> others_;  // of the threads beside the caller's
};

}  // namespace fiedler
