// The remaining budget of a search, and the parts of its threads.
#pragma once

#include <algorithm>
#include <atomic>
#include <limits>

#include "core/limits.hpp"

namespace fiedler {

// The nodes that the threads of a search share. Each takes a few at a time, so that all of them are spent at any speed
// of the threads.
class NodePool {
  public:
    // `nodes` 0 sets no limit.
    void start(std::uint64_t nodes, std::size_t threads) {
        constexpr std::uint64_t most_at_a_time = 256;
        limited_ = nodes;
        left_.store(nodes, std::memory_order_relaxed);
        at_a_time_ = threads > 1 ? std::clamp<std::uint64_t>(nodes / (16 * threads), 1, most_at_a_time) : nodes;
    }
    // The number of further nodes for the caller; 0 if none are left.
    std::uint64_t take() {
        if (!limited_) return std::numeric_limits<std::uint64_t>::max();
        std::uint64_t left = left_.load(std::memory_order_relaxed), taken = 0;
        do {
            taken = std::min(at_a_time_, left);
        } while (!left_.compare_exchange_weak(left, left - taken, std::memory_order_relaxed));
        return taken;
    }

  private:
    std::atomic<std::uint64_t> left_ = 0;
    std::uint64_t at_a_time_ = 0;
    bool limited_ = false;
};

class Budget {
  public:
    // `stop` is tested for every node, the clock now and then. All three outlive the search.
    void start(const StopFlag& stop, const Stopwatch& watch, NodePool& pool) {
        stop_ = &stop;
        watch_ = &watch;
        pool_ = &pool;
        granted_ = pool.take();
        nodes_.store(0, std::memory_order_relaxed);
        spent_ = false;
    }
    // Counts a node, if there may be one more.
    bool spend() {
        constexpr std::uint64_t nodes_between_looks_at_the_clock = 256;
        if (stop_->is_set() || (nodes() >= granted_ && !more())) spent_ = true;
        const std::uint64_t since = nodes() % nodes_between_looks_at_the_clock;  // the first nodes are always searched
        if (since == nodes_between_looks_at_the_clock - 1 && watch_->out_of_time()) spent_ = true;
        if (!spent_) nodes_.store(nodes() + 1, std::memory_order_relaxed);  // no other thread writes
        return !spent_;
    }
    bool spent() const { return spent_; }
    // The given flag.
    const StopFlag& stop_flag() const { return *stop_; }
    // Other threads may call this.
    std::uint64_t nodes() const { return nodes_.load(std::memory_order_relaxed); }

  private:
    bool more() {
        granted_ += pool_->take();
        return nodes() < granted_;
    }

    const StopFlag* stop_ = nullptr;
    const Stopwatch* watch_ = nullptr;
    NodePool* pool_ = nullptr;
    std::uint64_t granted_ = 0;
    std::atomic<std::uint64_t> nodes_ = 0;
    bool spent_ = false;
};

}  // namespace fiedler
