// Five in a row on a square board: freestyle gomoku, standard gomoku and renju.
#pragma once

#include <bit>
#include <cassert>

#include "core/random.hpp"
#include "core/stones.hpp"
#include "games/gomoku/lines.hpp"
#include "games/gomoku/masks.hpp"
#include "games/gomoku/priorities.hpp"
#include "games/gomoku/renju.hpp"
#include "games/gomoku/rollout.hpp"

namespace fiedler {

template <class P>
class GomokuKnowledge;

// The winning rows: five or more; exactly five; exactly five for Black, who has forbidden points, and five or more for
// White.
enum class FiveRule : std::uint8_t { freestyle, standard, renju };

// An action is size * row + column from the top left. Each player's stones are kept four times, as the words of all
// lines in the four directions (lines.hpp), so that a move is tested for five on its four lines at once:
//
//     63 62 .. 48  47 46 .. 32  31 30 .. 16  15 14 .. 0
//      0 other      0 diagonal   0 column     0 row        one word of each through the cell
template <int board_size, FiveRule five_rule>
class Gomoku {
  public:
    static constexpr int size = board_size;
    static constexpr FiveRule rule = five_rule;
    static constexpr std::string_view id = rule == FiveRule::renju      ? "renju15"
                                           : rule == FiveRule::standard ? "standard15"
                                           : size == 9                  ? "gomoku9"
                                           : size == 15                 ? "gomoku15"
                                                                        : "gomoku20";
    static constexpr std::size_t actions = size * size, max_moves = actions;
    static constexpr int max_plies = size * size, cells_count = size * size, rows = size, columns = size;
    static constexpr int planes_count = 4;
    static constexpr unsigned symmetries = 8;
    static constexpr Move centre = size * (size / 2) + size / 2;

    using Words = lines::Words<size>;  // of all lines, for the stones of one player

    Outcome outcome() const { return outcome_; }
    void moves(Moves<Gomoku>& list) const {
        if (outcome_ != Outcome::running) return;
        const Rows cells = legal_cells();
        for (int row = 0; row < size; ++row)
            for (unsigned left = cells[row]; left; left &= left - 1)
                list.push(static_cast<Move>(size * row + std::countr_zero(left)));
    }
    bool legal(Move move) const {
        return move < actions && outcome_ == Outcome::running && empty(move) && !forbidden(move);
    }
    void play(Move move) {
        assert(legal(move));
        const unsigned mover = side_;
        put(mover, move);
        side_ ^= 1;
        last_ = static_cast<Cell>(move);
        if (wins(mover, lines::through<size>(words_[mover], move))) {
            outcome_ = Outcome::loss;
        } else if (ply_ == max_plies || stuck()) {
            outcome_ = Outcome::draw;
        }
    }
    std::uint64_t key() const { return side_ ? ~key_ : key_; }
    int ply() const { return ply_; }
    int side() const { return side_; }
    int cell(int i) const {
        const auto row = static_cast<std::size_t>(i / size), column = static_cast<std::size_t>(i % size);
        return (words_[0][row] >> column & 1) + 2 * (words_[1][row] >> column & 1);
    }

    // Planes: stones of the side to move; stones of the other side; the last move, nowhere if it is unknown; 1
    // everywhere when Black is to move.
    void planes(float* out) const {
        for (const unsigned owner : {0u + side_, 1u - side_})
            for (unsigned row = 0; row < size; ++row)
                for (unsigned column = 0; column < size; ++column)
                    *out++ = static_cast<float>(words_[owner][row] >> column & 1);
        std::fill(out, out + cells_count, 0.0f);
        if (last_ != unknown) out[last_] = 1;
        std::fill(out + cells_count, out + 2 * cells_count, side_ ? 0.0f : 1.0f);
    }
    // Bit 0 of the symmetry mirrors the columns, bit 1 the rows, bit 2 swaps rows and columns afterwards.
    Gomoku transformed(unsigned symmetry) const {
        Gomoku result;
        for (Move move = 0; move < actions; ++move)
            if (const int stone = cell(move))
                result.put(static_cast<unsigned>(stone - 1), transformed_move(symmetry, move));
        result.side_ = side_;
        result.outcome_ = outcome_;
        if (last_ != unknown) result.last_ = static_cast<Cell>(transformed_move(symmetry, last_));
        return result;
    }
    static Move transformed_move(unsigned symmetry, Move move) {
        int row = move / size, column = move % size;
        if (symmetry & 1) column = size - 1 - column;
        if (symmetry & 2) row = size - 1 - row;
        if (symmetry & 4) std::swap(row, column);
        return static_cast<Move>(size * row + column);
    }

    std::string text() const { return text::rows_text(*this); }
    static Gomoku parse(std::string_view word) {
        Gomoku position;
        const auto [side, board] = text::parse_side(word);
        int stones[2]{};
        text::parse_rows(board, rows, columns, [&](int row, int column, int owner) {
            position.put(static_cast<unsigned>(owner), static_cast<Move>(size * row + column));
            ++stones[owner];
        });
        text::check_stones(stones[0], stones[1], side);
        position.side_ = static_cast<std::uint8_t>(side);
        position.settle(word);
        return position;
    }
    static std::string move_text(Move move) { return text::cell_name(move / size, move % size, rows); }
    static Move parse_move(std::string_view name) {
        const auto [row, column] = text::parse_cell(name, rows, columns);
        return static_cast<Move>(size * row + column);
    }

    // The reason why an empty cell is forbidden to the side to move; none for White, and in games without forbidden
    // points.
    Forbidden forbidden_kind(Move move) const {
        if constexpr (rule == FiveRule::renju)
            if (side_ == 0) return renju::Board<size>(words_[0], words_[1]).kind(move);
        return Forbidden::none;
    }
    std::string_view refusal(Move move) const
        requires(rule == FiveRule::renju)
    {
        return empty(move) ? renju::name(forbidden_kind(move)) : std::string_view{};
    }
    bool forbidden(Move move) const { return forbidden_kind(move) != Forbidden::none; }

    using Knowledge = GomokuKnowledge<Gomoku>;
    // By fours alone if `nodes` are few, else by fours and threes.
    ForcedWin forced_win(std::uint64_t nodes) const { return Knowledge::forced_win_of(*this, nodes); }

    bool empty(Move move) const { return !((words_[0][move / size] | words_[1][move / size]) >> move % size & 1); }
    const Words& words(int side) const { return words_[static_cast<unsigned>(side)]; }

    int move_count() const {
        if (outcome_ != Outcome::running) return 0;
        return black_is_bound && side_ == 0 ? static_cast<int>(count(legal_cells())) : max_plies - ply_;
    }
    Move random_move(std::uint32_t random) const {
        const Rows cells = legal_cells();
        unsigned k = Random::scale(random, count(cells));
        int row = 0;
        for (; k >= five::count(cells[row]); ++row) k -= five::count(cells[row]);
        unsigned left = cells[row];
        for (; k; --k) left &= left - 1;
        return static_cast<Move>(size * row + std::countr_zero(left));
    }
    Move threat(int side) const {
        const auto owner = static_cast<unsigned>(side);
        const Rows cells = exactly(owner) ? masks::completing<true>(stones(owner), empty_cells())
                                          : masks::completing<false>(stones(owner), empty_cells());
        for (int row = 0; row < size; ++row)
            for (unsigned left = cells[row]; left; left &= left - 1) {
                const auto move = static_cast<Move>(size * row + std::countr_zero(left));
                if (!forbidden(move)) return move;
            }
        return no_move;
    }
    // The lines are the windows of five cells.
    int line_score(Move move) const {
        const lines::Place& place = lines::places<size>[move];
        int sum = 0;
        for (std::size_t d = 0; d < lines::directions; ++d) {
            const std::size_t line = place.line[d];
            for (int start = std::max(place.bit[d] - 4, 0); start <= place.bit[d]; ++start) {
                if ((lines::cells<size>[line] >> start & 31) != 31) continue;
                const unsigned first = words_[0][line] >> start & 31, second = words_[1][line] >> start & 31;
                if (!second) sum += 1 << 2 * five::counts[first];
                if (!first) sum += 1 << 2 * five::counts[second];
            }
        }
        return sum;
    }
    int rollout(Random& random) const {
        if (outcome_ != Outcome::running) return first_player_result(*this);
        if constexpr (rule == FiveRule::renju) {
            return Gomoku(*this).rollout_by_moves(random);
        } else {
            five::Rollout<size, rule == FiveRule::standard> rollout(words_[side_].data(), words_[side_ ^ 1].data());
            const int result = rollout.play(random);
            return side_ ? -result : result;
        }
    }
    int heuristic_rollout(Random& random) const {
        if (outcome_ != Outcome::running) return first_player_result(*this);
        return five::PriorityRollout<Gomoku>(*this).play(random);
    }
    // The last move, which a position that was read does not have, is no part of it.
    bool operator==(const Gomoku& other) const {
        return words_ == other.words_ && side_ == other.side_ && outcome_ == other.outcome_;
    }

  private:
    friend class five::PriorityRollout<Gomoku>;

    using Word = lines::Word<size>;
    using Rows = masks::Rows<size>;
    using Cell = std::conditional_t<(actions < 0xff), std::uint8_t, std::uint16_t>;
    static constexpr Cell unknown = static_cast<Cell>(~0u);

    static constexpr bool black_is_bound = rule == FiveRule::renju;
    static constexpr unsigned full_row = (1u << size) - 1;

    static constexpr auto numbers = zobrist_numbers<actions>(size);

    // Whether six or more do not win for this side.
    static constexpr bool exactly(unsigned side) { return rule == FiveRule::standard || (black_is_bound && side == 0); }
    // Whether a player with these stones on some lines has a winning five.
    static bool wins(unsigned side, lines::Packed stones) {
        return exactly(side) ? lines::exact_fives(stones) : lines::fives(stones);
    }
    // Adds a stone of either player, or removes it; without the key.
    void turn_over(unsigned side, Move move) {
        const lines::Place& place = lines::places<size>[move];
        for (std::size_t d = 0; d < lines::directions; ++d)
            words_[side][place.line[d]] = static_cast<Word>(words_[side][place.line[d]] ^ 1u << place.bit[d]);
    }
    void flip(unsigned side, Move move) {
        turn_over(side, move);
        key_ ^= numbers[side][move];
    }
    void put(unsigned side, Move move) {
        flip(side, move);
        ++ply_;
    }

    Rows stones(unsigned side) const {
        Rows rows_of_side;
        for (int row = 0; row < size; ++row) rows_of_side.set(row, words_[side][static_cast<std::size_t>(row)]);
        return rows_of_side;
    }
    Rows empty_cells() const {
        Rows cells;
        for (int row = 0; row < size; ++row) {
            const auto i = static_cast<std::size_t>(row);
            cells.set(row, full_row & ~static_cast<unsigned>(words_[0][i] | words_[1][i]));
        }
        return cells;
    }
    // The game must be running.
    Rows legal_cells() const {
        Rows cells = empty_cells();
        if (black_is_bound && side_ == 0) remove_forbidden(cells);
        return cells;
    }
    void remove_forbidden(Rows& cells) const {
        const Rows black = stones(0), empty = cells;
        const masks::Suspicion suspicion(black, empty);
        renju::Board<size> board(words_[0], words_[1]);
        for (int row = 0; row < size; ++row)
            for (unsigned left = suspicion.row(row); left; left &= left - 1) {
                const unsigned column = static_cast<unsigned>(std::countr_zero(left));
                if (board.kind(static_cast<Move>(size * row + static_cast<int>(column))) != Forbidden::none)
                    cells.set(row, cells[row] ^ 1u << column);
            }
    }
    static unsigned count(const Rows& cells) {
        unsigned total = 0;
        for (int row = 0; row < size; ++row) total += five::count(cells[row]);
        return total;
    }
    // Black to move may find every empty cell forbidden.
    bool stuck() const {
        if (!black_is_bound || side_ != 0) return false;
        for (Move move = 0; move < actions; ++move)
            if (empty(move) && !forbidden(move)) return false;
        return true;
    }

    // Plays to the end; the game must be running.
    int rollout_by_moves(Random& random) {
        five::EmptyCells<size> cells(words_[0].data(), words_[1].data());
        for (; cells.count; --cells.count, side_ ^= 1) {
            const Move move = draw_legal(cells, random);
            if (move == no_move) break;
            turn_over(side_, move);
            if (wins(side_, lines::through<size>(words_[side_], move))) return side_ ? -1 : 1;
        }
        return 0;
    }
    // A random legal move, made the last of the empty cells; no_move if there is none.
    Move draw_legal(five::EmptyCells<size>& cells, Random& random) const {
        for (unsigned left = cells.count; left; --left) {
            const Move move = cells.move(cells.draw(random.next32(), left));
            if (forbidden(move)) continue;
            std::swap(cells.cells[left - 1], cells.cells[cells.count - 1]);
            return move;
        }
        return no_move;
    }

    bool has_five(unsigned side) const {
        for (const Word word : words_[side])
            if (wins(side, word)) return true;
        return false;
    }
    bool has_overline(unsigned side) const {
        for (const Word word : words_[side])
            if (lines::fives(word) & lines::fives(word) >> 1) return true;
        return false;
    }
    // Whether this stone may have been the last, that is, whether the game was running before it.
    bool ran_before(unsigned side, Move move) {
        flip(side, move);
        const bool ran = !has_five(side) && !(black_is_bound && side == 0 && has_overline(side));
        flip(side, move);
        return ran;
    }
    // Sets the outcome of a position read from `word`, or throws.
    void settle(std::string_view word) {
        const unsigned mover = side_ ^ 1u;
        const auto fail = [&](const char* what) {
            return PositionError("position: " + std::string(what) + " in " + text::quoted(word));
        };
        if (has_five(side_)) throw fail("the side to move has five in a row already");
        if (has_five(mover)) {
            for (Move move = 0; move < actions; ++move)
                if (cell(move) == static_cast<int>(mover) + 1 && ran_before(mover, move)) outcome_ = Outcome::loss;
            if (outcome_ != Outcome::loss) throw fail("the game was over before the last move");
        } else if (black_is_bound && has_overline(0)) {
            throw fail("Black (X) has six or more in a row, which is forbidden,");
        } else if (ply_ == max_plies || stuck()) {
            outcome_ = Outcome::draw;
        }
        if (black_is_bound && mover == 1 && has_overline(0))
            throw fail("Black (X) has six or more in a row, which is forbidden,");
    }

    std::array<Words, 2> words_{};  // of each player
    std::uint64_t key_ = 0;         // of the stones
    Cell ply_ = 0;
    Cell last_ = unknown;  // the last move
    std::uint8_t side_ = 0;
    Outcome outcome_ = Outcome::running;
};

}  // namespace fiedler

#include "games/gomoku/knowledge.hpp"

namespace fiedler {

using Gomoku9 = Gomoku<9, FiveRule::freestyle>;
using Gomoku15 = Gomoku<15, FiveRule::freestyle>;
using Gomoku20 = Gomoku<20, FiveRule::freestyle>;
using Standard15 = Gomoku<15, FiveRule::standard>;
using Renju15 = Gomoku<15, FiveRule::renju>;

static_assert(Position<Gomoku9> && Position<Gomoku15> && Position<Gomoku20> && Position<Standard15> &&
              Position<Renju15>);
static_assert(HasRandomMove<Renju15> && HasThreats<Renju15> && HasLineScore<Renju15> && HasRollout<Renju15> &&
              HasHeuristicRollout<Renju15>);

}  // namespace fiedler
