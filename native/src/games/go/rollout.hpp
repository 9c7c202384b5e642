// Random games of Go.
#pragma once

#include <array>
#include <cstdint>

#include "core/concept.hpp"
#include "core/random.hpp"

namespace fiedler::go {

// Plays a copy of a running position of G to its end.
template <class G>
class Rollout {
  public:
    explicit Rollout(const G& position) : game_(position) {
        for (std::size_t point = 0; point < points; ++point)
            if (!game_.board().owner(point)) add(static_cast<Point>(point));
    }

    // Uniformly random legal moves, passes included; the first player's result.
    int play_any(Random& random) {
        while (game_.running()) {
            const auto left = static_cast<std::uint32_t>(count_);
            const std::uint32_t drawn = random.below(left + 1);
            play(drawn == left ? pass : first_allowed(drawn, left, random, [](std::size_t) { return true; }, true));
        }
        return game_.result();
    }
    // The same, but no stone fills an eye of its own side or is suicide, and a side passes if nothing else is left, or
    // if the pass wins at once.
    int play_sensibly(Random& random) {
        while (game_.running()) {
            if (game_.pass_wins()) return game_.side() ? -1 : 1;
            const auto left = static_cast<std::uint32_t>(count_);
            const auto sensible = [&](std::size_t point) {
                return game_.survives(point) && !game_.board().is_eye(static_cast<unsigned>(game_.side()), point);
            };
            play(left ? first_allowed(random.below(left), left, random, sensible, false) : pass);
        }
        return game_.result();
    }

  private:
    using Point = typename G::Point;
    static constexpr std::size_t points = G::cells_count;
    static constexpr Move pass = G::pass;

    // The drawn empty point, or the next drawn one of those left that is legal and suits; a pass if it is drawn, too
    // (`passes`), or if no point is left.
    template <class Suits>
    Move first_allowed(std::uint32_t drawn, std::uint32_t left, Random& random, Suits suits, bool passes) {
        for (;;) {
            const Point point = empty_[drawn];
            if (suits(point) && game_.allows(point)) return point;
            swap(drawn, --left);
            const std::uint32_t choices = left + passes;
            if (!choices) return pass;
            drawn = random.below(choices);
            if (drawn == left) return pass;
        }
    }
    void play(Move move) {
        if (move != pass) {
            swap(place_[move], static_cast<std::uint32_t>(--count_));
            game_.put(move, [&](Point point) { add(point); });
        } else {
            game_.put_nothing();
        }
    }
    void add(Point point) {
        place_[point] = static_cast<Point>(count_);
        empty_[count_++] = point;
    }
    void swap(std::uint32_t one, std::uint32_t other) {
        const Point first = empty_[one], second = empty_[other];
        empty_[one] = second, empty_[other] = first;
        place_[second] = static_cast<Point>(one), place_[first] = static_cast<Point>(other);
    }

    G game_;
    std::array<Point, points> empty_;  // the empty points, in any order
    std::array<Point, points> place_;  // of an empty point there
    std::size_t count_ = 0;
};

}  // namespace fiedler::go
