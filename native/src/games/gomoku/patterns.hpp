// The pattern that a stone makes on a line of a gomoku board, by table: the five cells to either side of an empty cell
// decide it completely under every rule.
#pragma once

#include <array>
#include <cstdint>
#include <memory>

namespace fiedler {

// The winning runs: five or more (`any`), exactly five (`exact`), or exactly five with worthless, since forbidden,
// double fours (`black`, the first player of renju).
enum class LineKind : std::uint8_t { any, exact, black };

// The best that a stone on an empty cell makes of one line through the cell. A four becomes a five with one more stone,
// a straight four with either of two; an open three becomes a straight four, a broken three only a four, and so on down
// to a stone with room for a five. "Wide" ones grow in more ways than the plain ones.
enum class Pattern : std::uint8_t {
    none,
    broken_one,
    one,
    broken_two,
    two,
    wide_two,
    widest_two,
    broken_three,
    wide_broken_three,
    three,
    wide_three,
    four,
    double_four,  // two fours in this one line
    straight_four,
    five,
    overline,  // six or more where that does not win
};

// The pattern of every line of eleven cells with an empty one in the middle.
//
// A window has one bit for each cell, the middle one is bit 5. The index of the table is the number in base three with
// digit 1 for a stone of the side, 2 for a stone of the other side or a cell beyond the edge; the middle has no digit.
template <LineKind kind>
class LinePatterns {
  public:
    static constexpr int reach = 5, width = 2 * reach + 1;
    static constexpr unsigned window_mask = (1u << width) - 1;

    static const LinePatterns& instance() {
        static const LinePatterns patterns;
        return patterns;
    }

    // `own` and `blocked` are windows without common bits and without the middle.
    Pattern operator()(unsigned own, unsigned blocked) const {
        return table_[static_cast<std::size_t>(ternary_[own] + 2 * ternary_[blocked])];
    }

  private:
    static constexpr int configurations = 59049;  // 3^10
    static constexpr unsigned middle = 1u << reach;

    LinePatterns() {
        for (unsigned window = 0; window <= window_mask; ++window)
            for (int i = 0, digit = 1; i < width; ++i) {
                if (i == reach) continue;
                if (window >> i & 1) ternary_[window] = static_cast<std::uint16_t>(ternary_[window] + digit);
                digit *= 3;
            }
        auto known = std::make_unique<std::array<bool, configurations>>();
        for (unsigned own = 0; own <= window_mask; ++own) {
            if (own & middle) continue;
            const unsigned rest = window_mask & ~own & ~middle;
            for (unsigned blocked = rest;; blocked = (blocked - 1) & rest) {
                classify(own, blocked, *known);
                if (blocked == 0) break;
            }
        }
    }

    // The run of own stones through the middle, which is one of them.
    static unsigned run_through_middle(unsigned own) {
        unsigned run = middle;
        for (int i = 0; i < reach; ++i) run |= (run << 1 | run >> 1) & (own | middle);
        return run & window_mask;
    }

    static bool wins(unsigned own) {
        const int length = __builtin_popcount(run_through_middle(own));
        return kind == LineKind::any ? length >= 5 : length == 5;
    }

    Pattern classify(unsigned own, unsigned blocked, std::array<bool, configurations>& known) {
        const auto index = static_cast<std::size_t>(ternary_[own] + 2 * ternary_[blocked]);
        if (!known[index]) {
            known[index] = true;
            table_[index] = finished(own, blocked);
            if (table_[index] == Pattern::none) table_[index] = growing(own, blocked, known);
        }
        return table_[index];
    }

    // Fives, overlines and fours; none if it is less.
    static Pattern finished(unsigned own, unsigned blocked) {
        if (wins(own)) return Pattern::five;
        if (__builtin_popcount(run_through_middle(own)) > 5) return Pattern::overline;
        int cells = 0, sets = 0;  // cells that make five; different sets of four stones they make it of
        unsigned first_set = 0;
        for (unsigned i = 0; i < width; ++i) {
            const unsigned cell = 1u << i;
            if ((own | blocked | middle) & cell || !wins(own | cell)) continue;
            const unsigned set = run_through_middle(own | cell) & ~cell;
            if (cells++ == 0) first_set = set;
            if (cells == 1 || (kind != LineKind::any && set != first_set)) ++sets;
        }
        if (cells == 0) return Pattern::none;
        if (sets == 2) return Pattern::double_four;
        return cells >= 2 ? Pattern::straight_four : Pattern::four;
    }

    // Threes and less, by the pattern that one more stone makes.
    Pattern growing(unsigned own, unsigned blocked, std::array<bool, configurations>& known) {
        std::array<int, 16> ways{};
        for (unsigned i = 0; i < width; ++i) {
            const unsigned cell = 1u << i;
            if ((own | blocked | middle) & cell) continue;
            ++ways[static_cast<std::size_t>(classify(own | cell, blocked, known))];
        }
        const auto count = [&](Pattern from, Pattern to) {
            int sum = 0;
            for (auto i = static_cast<std::size_t>(from); i <= static_cast<std::size_t>(to); ++i) sum += ways[i];
            return sum;
        };
        const Pattern winning = kind == LineKind::black ? Pattern::straight_four : Pattern::double_four;
        if (const int n = count(winning, Pattern::straight_four)) return n > 1 ? Pattern::wide_three : Pattern::three;
        if (const int n = count(Pattern::four, Pattern::double_four))
            return n > 2 ? Pattern::wide_broken_three : Pattern::broken_three;
        if (const int n = count(Pattern::three, Pattern::wide_three))
            return n > 3 ? Pattern::widest_two : n > 2 ? Pattern::wide_two : Pattern::two;
        if (count(Pattern::broken_three, Pattern::wide_broken_three)) return Pattern::broken_two;
        if (count(Pattern::two, Pattern::widest_two)) return Pattern::one;
        return count(Pattern::broken_two, Pattern::broken_two) ? Pattern::broken_one : Pattern::none;
    }

    std::array<std::uint16_t, window_mask + 1> ternary_{};
    std::array<Pattern, configurations> table_{};
};

}  // namespace fiedler
