// Connect 4: seven columns, six rows, four in a row wins.
#pragma once

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstdlib>

#if defined(__BMI2__)
#include <immintrin.h>
#endif

#include "core/bits.hpp"
#include "core/concept.hpp"
#include "core/random.hpp"
#include "core/stones.hpp"

namespace fiedler {

// Seven bits a column, the spare bit on top keeps lines from running into the next column:
//
//      6 13 20 27 34 41 48    always empty
//      5 12 19 26 33 40 47
//      4 11 18 25 32 39 46
//      3 10 17 24 31 38 45
//      2  9 16 23 30 37 44
//      1  8 15 22 29 36 43
//      0  7 14 21 28 35 42
//      a  b  c  d  e  f  g
class Connect4 {
  public:
    // The discs alone; legal moves are not asserted.
    struct Board {
        std::uint64_t own, mask;  // discs of the side to move, all discs

        void play(Move move) {
            own ^= mask;
            mask |= mask + bottom_of(move);
        }
        unsigned move_mask() const { return open_columns(mask); }
    };

    Connect4() = default;
    explicit Connect4(const Board& board) : Connect4(board.own, board.mask) {}
    Board board() const { return {own_, mask_}; }

    static constexpr std::string_view id = "connect4";
    static constexpr std::size_t actions = 7, max_moves = 7;
    static constexpr int max_plies = 42, cells_count = 42, rows = 6, columns = 7, planes_count = 2;
    static constexpr unsigned symmetries = 2;

    Outcome outcome() const {
        if (other_wins_ & four) return Outcome::loss;
        return mask_ == playable ? Outcome::draw : Outcome::running;
    }
    void moves(Moves<Connect4>& list) const {
        if (outcome() != Outcome::running) return;
        for (Move column = 0; column < actions; ++column)
            if (open(column)) list.push(column);
    }
    bool legal(Move move) const { return move < actions && open(move) && outcome() == Outcome::running; }
    void play(Move move) {
        assert(legal(move));
        const std::uint64_t disc = disc_of(move);
        const std::uint64_t wins = completing(own_ | disc) | (own_wins_ & disc ? four : 0);
        own_ = other();
        mask_ |= disc;
        own_wins_ = other_wins_;
        other_wins_ = wins;
    }
    std::uint64_t key() const { return mix_word(name()); }
    // The same for a position and its mirror image.
    std::uint64_t symmetric_key() const { return mix_word(std::min(name(), mirror(name()))); }
    int ply() const { return std::popcount(mask_); }
    int side() const { return ply() & 1; }
    int cell(int i) const {
        const unsigned bit = static_cast<unsigned>(7 * (i % columns) + (rows - 1 - i / columns));
        if (!(mask_ >> bit & 1)) return 0;
        return 1 + (side() ^ static_cast<int>(~own_ >> bit & 1));
    }
    // Planes: discs of the side to move, discs of the other side.
    void planes(float* out) const {
        for (const std::uint64_t board : {own_, other()})
            for (int row = rows - 1; row >= 0; --row)
                for (int column = 0; column < columns; ++column)
                    *out++ = static_cast<float>(board >> (7 * column + row) & 1);
    }
    Connect4 transformed(unsigned symmetry) const { return symmetry ? Connect4(mirror(own_), mirror(mask_)) : *this; }
    static Move transformed_move(unsigned symmetry, Move move) {
        return symmetry ? static_cast<Move>(columns - 1 - move) : move;
    }

    std::string text() const { return text::rows_text(*this); }
    static Connect4 parse(std::string_view word) {
        std::uint64_t discs[2]{};
        const auto [side, board] = text::parse_side(word);
        text::parse_rows(board, rows, columns, [&](int row, int column, int owner) {
            discs[owner] |= 1ULL << (7 * column + rows - 1 - row);
        });
        const Connect4 position(discs[side], discs[0] | discs[1]);
        text::check_stones(std::popcount(discs[0]), std::popcount(discs[1]), side);
        if (position.mask_ != bottom_run(position.mask_))
            throw PositionError("position: a disc hangs in the air in " + text::quoted(word));
        if (has_four(position.own_))
            throw PositionError("position: the side to move has four in a row already in " + text::quoted(word));
        if (has_four(position.other()) && !won_by_last_disc(position.other(), position.mask_))
            throw PositionError("position: no one disc completed all the lines of four in " + text::quoted(word));
        return position;
    }
    static std::string move_text(Move move) { return std::string(1, static_cast<char>('a' + move)); }
    static Move parse_move(std::string_view name) {
        if (name.size() != 1 || name[0] < 'a' || name[0] > 'g')
            throw IllegalMove("move: expected a column a to g, got " + text::quoted(name));
        return static_cast<Move>(name[0] - 'a');
    }

    Move random_move(std::uint32_t random) const {
        const unsigned open = open_columns(mask_);
        return bits::select[open][Random::scale(random, bits::count[open])];
    }
    int move_count() const { return outcome() == Outcome::running ? std::popcount(landing()) : 0; }
    // Two picks from each random word. The number of open columns is kept: it changes so seldom that the next pick does
    // not wait for this one.
    int rollout(Random& random) const {
        if (outcome() != Outcome::running) return first_player_result(*this);
        std::uint64_t mover = own_, waiting = other(), mask = mask_;
        auto open = static_cast<std::uint32_t>(std::popcount(landing()));
        const auto drop = [&](std::uint64_t board, std::uint64_t bits) {
            const std::uint64_t disc = landing_cell(mask, Random::scale(static_cast<std::uint32_t>(bits), open));
            mask |= disc;
            return board | disc;
        };
        const auto last_column_filled = [&](std::uint64_t before) {
            constexpr std::uint64_t top_row = bottom << 5;
            return (mask ^ before) & top_row && --open == 0;
        };
        const int first = side() ? -1 : 1;
        for (;;) {
            const std::uint64_t word = random.next(), before = mask;
            mover = drop(mover, word);
            if (has_four(mover)) return first;
            if (last_column_filled(before)) return 0;
            const std::uint64_t between = mask;
            waiting = drop(waiting, word >> 32);
            if (has_four(waiting)) return -first;
            if (last_column_filled(between)) return 0;
        }
    }
    Move threat(int side) const {
        const std::uint64_t cells = (side == this->side() ? own_wins_ : other_wins_) & landing();
        return cells ? static_cast<Move>(std::countr_zero(cells) / 7) : no_move;
    }
    // Lines that are still open, and the empty cells that would complete a four. Threats of the first player on lower
    // cells and of the second on upper cells last: the other must play below them at the end (Allis 1988).
    int evaluate() const {
        constexpr int open_line = 8, any_threat = 30, lasting_threat = 60;  // centipawns
        const std::uint64_t empty = playable & ~mask_, lasting = side() ? ~lower_cells : lower_cells;
        const std::uint64_t own = own_wins_ & empty, others = other_wins_ & empty;
        return open_line * (open_lines(own_ | empty) - open_lines(other() | empty)) +
               any_threat * (std::popcount(own) - std::popcount(others)) +
               lasting_threat * (std::popcount(own & lasting) - std::popcount(others & ~lasting));
    }
    // The results proven without a search: a win now, or a loss in two.
    static constexpr int proof_plies = 2;
    // Measured at the nodes of PUCT: from this ply on a quarter of the searches of so many positions reach the end.
    static constexpr int solvable_from(std::uint64_t positions) { return 26 - 5 * std::bit_width(positions) / 4; }
    int proven_plies() const {
        if (own_wins_ & landing()) return 1;
        return safe() ? 0 : -2;
    }
    // A win; else the moves that stop the opponent's and allow no other; else, in a lost position, any move.
    void candidates(Moves<Connect4>& list) const {
        const std::uint64_t wins = own_wins_ & landing();
        std::uint64_t cells = wins ? wins & -wins : safe();
        if (!cells) cells = landing();
        for (; cells; cells &= cells - 1) list.push(static_cast<Move>(std::countr_zero(cells) / 7));
    }
    // A bound by the opponent's answers in the same column: the side to move cannot do better than 0, a draw, or -n, a
    // loss in at most n plies; 1: no bound.
    int ceiling() const { return std::popcount(mask_) & 1 ? second_ceiling() : first_ceiling(); }
    // Cells that would complete a four afterwards, then the centre.
    int order(Move move) const {
        const std::uint64_t disc = disc_of(move);
        return 4 * std::popcount(completing(own_ | disc) & ~mask_) + 3 - std::abs(static_cast<int>(move) - 3);
    }
    int line_score(Move move) const {
        const std::uint64_t disc = disc_of(move);
        int sum = 0;
        for (const unsigned step : {1u, 7u, 6u, 8u})
            for (unsigned back = 0; back < 4; ++back) sum += window_score(disc, step, back);
        return sum;
    }
    bool operator==(const Connect4& position) const { return own_ == position.own_ && mask_ == position.mask_; }

  private:
    static constexpr std::uint64_t bottom = 0x0040810204081ULL;  // the lowest cell of every column
    static constexpr std::uint64_t playable = bottom * 0x3f;
    static constexpr std::uint64_t lower_cells = bottom * 0x15;  // of the pairs that fill an empty column
    static constexpr std::uint64_t four = 1ULL << 63;

    static constexpr std::uint64_t bottom_of(Move column) { return 1ULL << 7 * column; }
    static constexpr std::uint64_t column_of(Move column) { return 0x3fULL << 7 * column; }
    Connect4(std::uint64_t own, std::uint64_t mask)
        : own_(own), mask_(mask), own_wins_(wins(own)), other_wins_(wins(own ^ mask)) {}
    static std::uint64_t wins(std::uint64_t board) { return completing(board) | (has_four(board) ? four : 0); }

    // In each column of the sum the highest set bit is one above the discs.
    std::uint64_t name() const { return own_ + mask_ + bottom; }
    std::uint64_t disc_of(Move column) const { return (mask_ + bottom_of(column)) & column_of(column); }
    std::uint64_t other() const { return own_ ^ mask_; }
    std::uint64_t landing() const { return (mask_ + bottom) & playable; }
    bool open(Move column) const { return !(mask_ >> (7 * column + 5) & 1); }

    // Columns with an odd number of empty cells.
    std::uint64_t odd_columns() const {
        const std::uint64_t tops = mask_ + bottom;
        return ((tops >> 1 | tops >> 3 | tops >> 5) & bottom) * 0x3f;
    }
    // The first player to move: the second answers on top in the even columns and anywhere in the odd ones, whose
    // empty cells are even in number together. That leaves the first only the lower cell of each pair.
    int first_ceiling() const {
        const std::uint64_t empty = playable & ~mask_, odd = odd_columns();
        if (has_four(own_ | (empty & (lower_cells | odd)))) return 1;
        return -plies_to_lowest(other_wins_ & empty & ~lower_cells & ~odd);
    }
    // The second player to move, and the first can win on a lower cell of an odd column: he answers as above, and in
    // the end the second must play below that cell.
    int second_ceiling() const {
        const std::uint64_t empty = playable & ~mask_, odd = odd_columns();
        for (std::uint64_t cells = other_wins_ & empty & lower_cells & odd; cells; cells &= cells - 1) {
            const std::uint64_t cell = cells & -cells;
            const std::uint64_t column = 0x7fULL << std::countr_zero(cell) / 7 * 7;
            const std::uint64_t own_part =
                (lower_cells & ~column) | (odd & ~column) | (column & ~lower_cells & (cell - 1));
            if (!has_four(own_ | (empty & own_part))) return -plies_to_lowest(cell);
        }
        return 1;
    }
    // Plies until one of `cells` is played, if all other cells are played before; 0 if there are no cells.
    int plies_to_lowest(std::uint64_t cells) const {
        const int empty = rows * columns - std::popcount(mask_);
        for (int row = 0; row < rows; ++row)
            if (cells & bottom << row) return empty - (rows - 1 - row);
        return 0;
    }
    // Moves after which the opponent cannot win at once.
    std::uint64_t safe() const {
        const std::uint64_t threats = other_wins_, cells = landing(), forced = threats & cells;
        if (forced & (forced - 1)) return 0;
        return (forced ? forced : cells) & ~(threats >> 1);
    }
    static std::uint64_t mirror(std::uint64_t board) {
        constexpr std::uint64_t a = 0x7f, b = a << 7, c = a << 14, d = a << 21, e = a << 28, f = a << 35, g = a << 42;
        return (board & a) << 42 | (board & b) << 28 | (board & c) << 14 | (board & d) | (board & e) >> 14 |
               (board & f) >> 28 | (board & g) >> 42;
    }
    // The open columns as seven neighbouring bits: the multiplication brings the top cell of column i, bit 7 i after
    // the shift, to bit 36 + i, and no other bit there.
    static unsigned open_columns(std::uint64_t mask) {
        constexpr std::uint64_t gather = 1ULL << 36 | 1ULL << 30 | 1ULL << 24 | 1ULL << 18 | 1ULL << 12 | 1ULL << 6 | 1;
        return static_cast<unsigned>((~mask >> 5 & bottom) * gather >> 36 & 0x7f);
    }

    // The landing cell of a disc in the k-th open column.
    static std::uint64_t landing_cell(std::uint64_t mask, unsigned k) {
#if defined(__BMI2__)
        return _pdep_u64(1ULL << k, (mask + bottom) & playable);
#else
        const Move column = bits::select[open_columns(mask)][k];
        return (mask + bottom_of(column)) & column_of(column);
#endif
    }

    // The cells of each column that are filled from the bottom without a gap.
    static std::uint64_t bottom_run(std::uint64_t mask) {
        std::uint64_t run = mask & bottom;
        for (int row = 1; row < rows; ++row) run |= run << 1 & mask;
        return run;
    }
    // Does one of the highest discs of the columns belong to every four of `board`?
    static bool won_by_last_disc(std::uint64_t board, std::uint64_t mask) {
        for (std::uint64_t tops = (mask + bottom) >> 1 & board; tops; tops &= tops - 1)
            if (!has_four(board ^ (tops & -tops))) return true;
        return false;
    }
    static bool has_four(std::uint64_t board) {
        std::uint64_t fours = 0;
        for (const unsigned step : {1u, 7u, 6u, 8u}) {
            const std::uint64_t pairs = board & board >> step;
            fours |= pairs & pairs >> 2 * step;
        }
        return fours != 0;
    }
    // Cells that would complete a four of `board`, occupied ones among them.
    static std::uint64_t completing(std::uint64_t board) {
        std::uint64_t cells = board << 1 & board << 2 & board << 3;  // upright: only on top
        for (const unsigned step : {7u, 6u, 8u}) {
            const std::uint64_t pairs = board << step & board << 2 * step, down = pairs >> 3 * step;
            cells |= pairs & (board << 3 * step | board >> step);  // xxx. and xx.x
            cells |= down & (board << step | board >> 3 * step);   // x.xx and .xxx
        }
        return cells & playable;
    }
    static int open_lines(std::uint64_t board) {
        int lines = 0;
        for (const unsigned step : {1u, 7u, 6u, 8u}) {
            const std::uint64_t pairs = board & board >> step;
            lines += std::popcount(pairs & pairs >> 2 * step);
        }
        return lines;
    }
    // The window of four cells that starts `back` steps before the disc: 4^discs for each side that is alone on it.
    int window_score(std::uint64_t disc, unsigned step, unsigned back) const {
        std::uint64_t first = disc;
        for (unsigned i = 0; i < back; ++i) {
            first >>= step;
            if (!(first & playable)) return 0;
        }
        const std::uint64_t window = first | first << step | first << 2 * step | first << 3 * step;
        if ((window & playable) != window || std::popcount(window) != 4) return 0;
        const int own = std::popcount(window & own_), others = std::popcount(window & other());
        return (others ? 0 : 1 << 2 * own) + (own ? 0 : 1 << 2 * others);
    }

    std::uint64_t own_ = 0;         // discs of the side to move
    std::uint64_t mask_ = 0;        // all discs
    std::uint64_t own_wins_ = 0;    // cells that would complete a four of own_, and `four` if there is one
    std::uint64_t other_wins_ = 0;  // the same for the other side
};

static_assert(Connect4::solvable_from(200) == 16 && Connect4::solvable_from(900) == 14);
static_assert(Position<Connect4> && HasRandomMove<Connect4> && HasThreats<Connect4> && HasEvaluation<Connect4> &&
              HasMoveOrder<Connect4> && HasLineScore<Connect4> && HasSolving<Connect4> && HasRollout<Connect4> &&
              HasBoard<Connect4> && HasMoveMask<Connect4::Board>);

}  // namespace fiedler
