// The pattern tables of a gomoku board, updated move by move: for each empty cell, direction and side the pattern of a
// stone there, and from it the cells of each threat and a value of the whole board.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstdint>
#include <memory>
#include <vector>

#include "core/random.hpp"
#include "games/gomoku/lines.hpp"
#include "games/gomoku/renju.hpp"
#include "games/gomoku/weights.hpp"

namespace fiedler {

// A set of the cells of an n x n board.
template <int n>
class CellSet {
  public:
    static constexpr int words = (n * n + 63) / 64;

    bool has(int cell) const { return word(cell) >> (cell & 63) & 1; }
    constexpr void add(int cell) { word(cell) |= bit(cell); }
    void remove(int cell) { word(cell) &= ~bit(cell); }
    void assign(int cell, bool in) { word(cell) = (word(cell) & ~bit(cell)) | std::uint64_t{in} << (cell & 63); }
    bool empty() const {
        std::uint64_t all = 0;
        for (const std::uint64_t w : words_) all |= w;
        return all == 0;
    }
    bool several() const {  // two or more
        std::uint64_t once = 0, twice = 0;
        for (const std::uint64_t w : words_) {
            twice |= (w & (w - 1)) | (w && once ? 1 : 0);
            once |= w;
        }
        return twice != 0;
    }
    int first() const {  // which there must be
        for (int i = 0;; ++i)
            if (words_[static_cast<std::size_t>(i)])
                return 64 * i + std::countr_zero(words_[static_cast<std::size_t>(i)]);
    }
    template <class Visit>
    void each(Visit&& visit) const {  // ascending
        for (int i = 0; i < words; ++i)
            for (std::uint64_t w = words_[static_cast<std::size_t>(i)]; w; w &= w - 1)
                visit(64 * i + std::countr_zero(w));
    }
    CellSet& operator|=(const CellSet& other) {
        for (std::size_t i = 0; i < words; ++i) words_[i] |= other.words_[i];
        return *this;
    }
    CellSet& operator&=(const CellSet& other) {
        for (std::size_t i = 0; i < words; ++i) words_[i] &= other.words_[i];
        return *this;
    }
    CellSet operator|(const CellSet& other) const { return CellSet(*this) |= other; }
    CellSet operator&(const CellSet& other) const { return CellSet(*this) &= other; }
    CellSet without(const CellSet& other) const {
        CellSet rest = *this;
        for (std::size_t i = 0; i < words; ++i) rest.words_[i] &= ~other.words_[i];
        return rest;
    }

  private:
    static constexpr std::uint64_t bit(int cell) { return std::uint64_t{1} << (cell & 63); }
    constexpr std::uint64_t& word(int cell) { return words_[static_cast<std::size_t>(cell >> 6)]; }
    std::uint64_t word(int cell) const { return words_[static_cast<std::size_t>(cell >> 6)]; }

    std::array<std::uint64_t, words> words_{};
};

// The threats of a side by a stone on a cell, over the four lines through it.
struct CellThreats {
    static constexpr std::uint8_t five = 1, four = 2, win = 4, three = 8, suspect = 16;
    // five: makes five. four: makes one four or more. win: makes two cells for a five at once, so that only a five of
    // the other side stops it. three: makes an open three or more. suspect: renju's first player may not be allowed to.
    std::uint8_t flags = 0;
    std::uint8_t rank = 0;     // its merit for the side, 0 .. 255: the order of moves
    std::int16_t to_move = 0;  // part of the value of the board if the side is to move,
    std::int16_t waiting = 0;  // and if it is not
};

// CellThreats by the patterns of the four directions, four bits each.
template <LineKind kind>
class ThreatsOfPatterns {
  public:
    static const ThreatsOfPatterns& instance() {
        static const ThreatsOfPatterns threats;
        return threats;
    }
    const CellThreats* data() const { return table_.data(); }  // one for each of the 65536 codes

  private:
    ThreatsOfPatterns() : table_(1 << 16) {
        for (unsigned code = 0; code < table_.size(); ++code) {
            std::array<Pattern, 4> patterns;
            for (unsigned d = 0; d < 4; ++d) patterns[d] = static_cast<Pattern>(code >> 4 * d & 15);
            std::sort(patterns.begin(), patterns.end(), std::greater<>{});
            table_[code] = threats(patterns);
        }
    }

    static CellThreats threats(const std::array<Pattern, 4>& best_first) {
        int fives = 0, overlines = 0, fours = 0, straight_fours = 0, threes = 0;
        for (const Pattern p : best_first) {
            fives += p == Pattern::five;
            overlines += p == Pattern::overline;
            fours += p == Pattern::double_four ? 2 : p == Pattern::four || p == Pattern::straight_four;
            straight_fours += p == Pattern::straight_four;
            threes += p == Pattern::three || p == Pattern::wide_three;
        }
        const SideValues& values = pattern_values;
        CellThreats made{0, gomoku_rank(best_first), values.to_move(best_first), values.waiting(best_first)};
        if (fives) {
            made.flags = CellThreats::five;
        } else if (kind == LineKind::black && (overlines || fours > 1)) {
            return {CellThreats::suspect, 0, 0, 0};
        } else {
            const bool suspect = kind == LineKind::black && threes > 1;
            if (suspect) made.flags |= CellThreats::suspect;
            if (fours) made.flags |= CellThreats::four;
            if ((fours > 1 || straight_fours) && !suspect) made.flags |= CellThreats::win;
            if (threes) made.flags |= CellThreats::three;
        }
        return made;
    }

    std::vector<CellThreats> table_;
};

// The cells at most two steps of a king away from each.
template <int n>
inline constexpr auto neighbourhood = [] {
    std::array<CellSet<n>, n * n> near{};
    for (int cell = 0; cell < n * n; ++cell)
        for (int other = 0; other < n * n; ++other) {
            const int rows = cell / n - other / n, columns = cell % n - other % n;
            if (rows * rows <= 4 && columns * columns <= 4) near[static_cast<std::size_t>(cell)].add(other);
        }
    return near;
}();

// The board with its tables; `black` and `white` are the winning runs of the first and the second player. Sides are 0
// and 1; a cell is row * n + column.
template <int n, LineKind black, LineKind white>
class GomokuTables {
  public:
    using Cells = CellSet<n>;
    using Words = lines::Words<n>;  // of the stones of one side, as in Gomoku
    static constexpr int cells = n * n, directions = lines::directions;
    // The distance at which a stone can change the pattern of a cell: an overline reaches one cell further than a five.
    static constexpr int reach = black == LineKind::any && white == LineKind::any ? 4 : 5;

    // The board with these stones.
    void reset(const Words& first, const Words& second) {
        *this = {};
        words_ = {first, second};
        for (int cell = 0; cell < cells; ++cell) {
            const lines::Place& place = lines::places<n>[static_cast<std::size_t>(cell)];
            const int owner = has(first, place) ? 0 : has(second, place) ? 1 : -1;
            if (owner < 0) {
                empty_.add(cell);
            } else {
                near_ |= neighbourhood<n>[static_cast<std::size_t>(cell)];
                key_ ^= keys[static_cast<std::size_t>(owner)][static_cast<std::size_t>(cell)];
            }
        }
        empty_.each([&](int cell) {
            for (std::size_t d = 0; d < directions; ++d) {
                const lines::Place& place = lines::places<n>[static_cast<std::size_t>(cell)];
                look(cell, d, 1u << place.bit[d]);
            }
        });
    }

    // A stone of `side` on an empty cell.
    void play(int cell, int side) {
        assert(empty_.has(cell));
        const auto at = static_cast<std::size_t>(cell);
        empty_.remove(cell);
        near_ |= neighbourhood<n>[at];
        key_ ^= keys[static_cast<std::size_t>(side)][at];
        replace(cell, 0, 0);
        replace(cell, 1, 0);
        const lines::Place& place = lines::places<n>[at];
        for (std::size_t d = 0; d < directions; ++d) {
            lines::Word<n>& word = words_[static_cast<std::size_t>(side)][place.line[d]];
            word = static_cast<lines::Word<n>>(word | 1u << place.bit[d]);
        }
        constexpr unsigned around = (2u << 2 * reach) - 1;
        for (std::size_t d = 0; d < directions; ++d) look(cell, d, (around << place.bit[d]) >> reach);
    }

    // The empty cells on which `side` would make a five, a four and so on (CellThreats).
    const Cells& fives(int side) const { return of(side).fives; }
    const Cells& fours(int side) const { return of(side).fours; }
    const Cells& wins(int side) const { return of(side).wins; }
    const Cells& threes(int side) const { return of(side).threes; }
    const Cells& suspects() const { return of(0).suspects; }
    const Cells& empty() const { return empty_; }
    const Cells& near() const { return near_; }  // cells within two steps of a stone, empty or not
    // Of the stones; key_after, with one more.
    std::uint64_t key() const { return key_; }
    std::uint64_t key_after(int cell, int side) const {
        return key_ ^ keys[static_cast<std::size_t>(side)][static_cast<std::size_t>(cell)];
    }

    const CellThreats& threats(int cell, int side) const {
        return cell_threats(side, patterns_[static_cast<std::size_t>(side)][static_cast<std::size_t>(cell)]);
    }
    // The patterns of the four directions, four bits each.
    std::uint16_t patterns(int cell, int side) const {
        return patterns_[static_cast<std::size_t>(side)][static_cast<std::size_t>(cell)];
    }

    const std::array<std::uint16_t, cells>& patterns(int side) const {
        return patterns_[static_cast<std::size_t>(side)];
    }

    // The value of the board for `side`, which is to move.
    int value(int side) const {
        return (to_move_[static_cast<std::size_t>(side)] + waiting_[static_cast<std::size_t>(1 - side)]) / 10;
    }

    // All empty cells on which a stone of the other side can spoil the two fives that `side` threatens to make from
    // `cell`, one of its wins().
    Cells spoilers(int cell, int side) const {
        constexpr unsigned around = 0x1ff, far = 4;  // stones further away are part of no five through the cell
        const lines::Place& place = lines::places<n>[static_cast<std::size_t>(cell)];
        Cells found;
        for (std::size_t d = 0; d < directions; ++d) {
            if (static_cast<Pattern>(patterns(cell, side) >> 4 * d & 15) < Pattern::four) continue;
            for (unsigned left = free(place.line[d]) & (around << place.bit[d]) >> far; left; left &= left - 1)
                found.add(cell + (std::countr_zero(left) - place.bit[d]) * step[d]);
        }
        return found;
    }

    // Renju: whether this empty cell is forbidden to the first player.
    bool forbidden(int cell) const {
        if constexpr (black == LineKind::black)
            return suspects().has(cell) &&
                   renju::Board<n>(words_[0], words_[1]).kind(static_cast<Move>(cell)) != Forbidden::none;
        return false;
    }

  private:
    struct Sets {
        Cells fives, fours, wins, threes, suspects;
    };
    static constexpr auto keys = zobrist_numbers<static_cast<std::size_t>(cells)>(0);

    const Sets& of(int side) const { return sets_[static_cast<std::size_t>(side)]; }
    const CellThreats& cell_threats(int side, std::uint16_t patterns) const {
        return threats_[static_cast<std::size_t>(side)][patterns];
    }
    static constexpr auto step = [] {  // from a cell to the next in each direction
        std::array<int, directions> steps{};
        for (std::size_t d = 0; d < directions; ++d) steps[d] = lines::row_step[d] * n + lines::column_step[d];
        return steps;
    }();
    static bool has(const Words& words, const lines::Place& place) { return words[place.line[0]] >> place.bit[0] & 1; }
    unsigned free(std::size_t line) const {
        return lines::cells<n>[line] & ~static_cast<unsigned>(words_[0][line] | words_[1][line]);
    }

    // Update the patterns of both sides in one direction on some cells of the line through `cell`: the empty ones with
    // bits in `which`.
    void look(int cell, std::size_t direction, unsigned which) {
        constexpr unsigned mask = LinePatterns<black>::window_mask, middle = LinePatterns<black>::reach;
        const lines::Place& place = lines::places<n>[static_cast<std::size_t>(cell)];
        const std::size_t line = place.line[direction];
        const unsigned all = lines::cells<n>[line];
        const unsigned first = unsigned{words_[0][line]} << middle, second = unsigned{words_[1][line]} << middle;
        const unsigned not_first = ~((all << middle) & ~second), not_second = ~((all << middle) & ~first);
        for (unsigned left = free(line) & which; left; left &= left - 1) {
            const int bit = std::countr_zero(left);
            const int at = cell + (bit - place.bit[direction]) * step[direction];
            update(at, direction, 0, (*first_patterns_)(first >> bit & mask, not_first >> bit & mask));
            update(at, direction, 1, (*second_patterns_)(second >> bit & mask, not_second >> bit & mask));
        }
    }

    void update(int cell, std::size_t direction, int side, Pattern pattern) {
        const std::uint16_t code = patterns(cell, side);
        const unsigned shift = 4 * static_cast<unsigned>(direction);
        const auto changed =
            static_cast<std::uint16_t>((code & ~(15u << shift)) | static_cast<unsigned>(pattern) << shift);
        if (changed != code) replace(cell, side, changed);
    }

    void replace(int cell, int side, std::uint16_t changed) {
        const auto s = static_cast<std::size_t>(side);
        std::uint16_t& code = patterns_[s][static_cast<std::size_t>(cell)];
        const CellThreats& before = cell_threats(side, code);
        const CellThreats& after = cell_threats(side, changed);
        code = changed;
        to_move_[s] += after.to_move - before.to_move;
        waiting_[s] += after.waiting - before.waiting;
        if (after.flags == before.flags) return;
        Sets& sets = sets_[s];
        sets.fives.assign(cell, after.flags & CellThreats::five);
        sets.fours.assign(cell, after.flags & CellThreats::four);
        sets.wins.assign(cell, after.flags & CellThreats::win);
        sets.threes.assign(cell, after.flags & CellThreats::three);
        sets.suspects.assign(cell, after.flags & CellThreats::suspect);
    }

    // The tables, looked up once: a static one made at first use costs a test at each use.
    const LinePatterns<black>* first_patterns_ = &LinePatterns<black>::instance();
    const LinePatterns<white>* second_patterns_ = &LinePatterns<white>::instance();
    std::array<const CellThreats*, 2> threats_{ThreatsOfPatterns<black>::instance().data(),
                                               ThreatsOfPatterns<white>::instance().data()};

    std::array<Words, 2> words_{};
    std::array<std::array<std::uint16_t, cells>, 2> patterns_{};  // by side; 0 under stones
    std::array<Sets, 2> sets_{};
    Cells empty_, near_;
    std::array<int, 2> to_move_{}, waiting_{};  // sums over the empty cells
    std::uint64_t key_ = 0;
};

}  // namespace fiedler
