// The limits of a search, its stop flag, and its reports.
#pragma once

#include <atomic>
#include <chrono>
#include <cmath>
#include <functional>
#include <optional>
#include <vector>

#include "core/concept.hpp"

namespace fiedler {

// Zero means no limit of that kind. The first limit reached ends the search.
struct Limits {
    int depth = 0;            // plies; searches without a depth ignore it
    std::uint64_t nodes = 0;  // positions or simulations, as the search counts them
    double seconds = 0;       // wall clock
};

// Set from any thread, read inside the search loop.
class StopFlag {
  public:
    void set() { flag_.store(true, std::memory_order_relaxed); }
    void clear() { flag_.store(false, std::memory_order_relaxed); }
    bool is_set() const { return flag_.load(std::memory_order_relaxed); }

  private:
    std::atomic<bool> flag_{false};
};

struct SearchInfo {
    int depth = 0;
    std::uint64_t nodes = 0;
    double seconds = 0;
    double score = 0.5;       // expected score of the side to move, 0 .. 1
    std::optional<int> mate;  // own moves to the forced win, negative when losing
    bool proven_draw = false;
    std::vector<Move> pv;
    Move best = no_move;  // no_move only when the game is over

    double nps() const { return seconds > 0 ? static_cast<double>(nodes) / seconds : 0; }
    bool proven() const { return mate.has_value() || proven_draw; }
};

using OnInfo = std::function<void(const SearchInfo&)>;

// The UGI scale: cp = 400 log10(s / (1 - s)).
inline double expected_score(double centipawns) {
    return 1 / (1 + std::pow(10.0, -centipawns / 400));
}

// The wall clock and the stop flag of one search.
class Stopwatch {
  public:
    Stopwatch(const Limits& limits, const StopFlag& stop) : limits_(limits), stop_(stop) {}

    double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }
    bool stopped() const { return stop_.is_set(); }
    bool out_of_time() const { return limits_.seconds > 0 && seconds() >= limits_.seconds; }
    bool out_of_nodes(std::uint64_t nodes) const { return limits_.nodes && nodes >= limits_.nodes; }
    const Limits& limits() const { return limits_; }
    const StopFlag& stop() const { return stop_; }

  private:
    using Clock = std::chrono::steady_clock;
    const Limits limits_;
    const StopFlag& stop_;
    const Clock::time_point start_ = Clock::now();
};

}  // namespace fiedler
