// What one thread of a search may still spend.
#pragma once

#include <atomic>

#include "limits.hpp"

namespace fiedler {

class Budget {
  public:
    // `stop` is looked at for every node, the clock now and then; `most_nodes` 0 sets no limit. Both outlive the
    // search.
    void start(const StopFlag& stop, const Stopwatch& watch, std::uint64_t most_nodes) {
        stop_ = &stop;
        watch_ = &watch;
        most_nodes_ = most_nodes;
        nodes_.store(0, std::memory_order_relaxed);
        spent_ = false;
    }
    // Counts a node, if there may be one more.
    bool spend() {
        constexpr std::uint64_t nodes_between_looks_at_the_clock = 256;
        if (stop_->is_set() || (most_nodes_ && nodes() >= most_nodes_)) spent_ = true;
        if (nodes() % nodes_between_looks_at_the_clock == 0 && watch_->out_of_time()) spent_ = true;
        if (!spent_) nodes_.store(nodes() + 1, std::memory_order_relaxed);  // no other thread writes
        return !spent_;
    }
    bool spent() const { return spent_; }
    // The flag that was given.
    const StopFlag& stop_flag() const { return *stop_; }
    // May be asked by other threads.
    std::uint64_t nodes() const { return nodes_.load(std::memory_order_relaxed); }

  private:
    const StopFlag* stop_ = nullptr;
    const Stopwatch* watch_ = nullptr;
    std::uint64_t most_nodes_ = 0;
    std::atomic<std::uint64_t> nodes_ = 0;
    bool spent_ = false;
};

}  // namespace fiedler
