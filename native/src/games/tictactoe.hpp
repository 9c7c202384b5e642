// Tic-tac-toe: 3x3, three in a row wins.
#pragma once

#include <cassert>

#include "core/board3.hpp"
#include "core/concept.hpp"
#include "core/random.hpp"
#include "core/stones.hpp"

namespace fiedler {

// Bits of each player's mask, as on the board:
//
//     0 1 2      a3 b3 c3
//     3 4 5      a2 b2 c2
//     6 7 8      a1 b1 c1
class TicTacToe {
  public:
    static constexpr std::string_view id = "tictactoe";
    static constexpr std::size_t actions = 9, max_moves = 9;
    static constexpr int max_plies = 9, cells_count = 9, rows = 3, columns = 3, planes_count = 2;
    static constexpr unsigned symmetries = 8;

    Outcome outcome() const {
        if (board3::has_line[stones_[side_ ^ 1]]) return Outcome::loss;
        return occupied() == board3::full ? Outcome::draw : Outcome::running;
    }
    void moves(Moves<TicTacToe>& list) const {
        if (outcome() != Outcome::running) return;
        for (unsigned empty = move_mask(); empty; empty &= empty - 1)
            list.push(static_cast<Move>(std::countr_zero(empty)));
    }
    bool legal(Move move) const { return move < actions && !(occupied() >> move & 1) && outcome() == Outcome::running; }
    void play(Move move) {
        assert(legal(move));
        stones_[side_] |= static_cast<board3::Mask>(1u << move);
        side_ ^= 1;
    }
    std::uint64_t key() const { return hash_words(stones_[0] | stones_[1] << 9 | side_ << 18); }
    int ply() const { return bits::count[occupied()]; }
    int side() const { return side_; }
    int cell(int i) const { return (stones_[0] >> i & 1) + 2 * (stones_[1] >> i & 1); }

    // Planes: stones of the side to move, stones of the other side.
    void planes(float* out) const {
        for (int plane = 0; plane < 2; ++plane)
            for (int i = 0; i < 9; ++i) *out++ = static_cast<float>(stones_[side_ ^ plane] >> i & 1);
    }
    TicTacToe transformed(unsigned symmetry) const {
        TicTacToe result = *this;
        for (auto& mask : result.stones_) mask = board3::transformed_mask[symmetry][mask];
        return result;
    }
    static Move transformed_move(unsigned symmetry, Move move) { return board3::symmetry[symmetry][move]; }

    std::string text() const { return text::rows_text(*this); }
    static TicTacToe parse(std::string_view word) {
        TicTacToe position;
        const auto [side, board] = text::parse_side(word);
        text::parse_rows(board, rows, columns, [&](int row, int column, int owner) {
            position.stones_[owner] |= static_cast<board3::Mask>(1u << (3 * row + column));
        });
        position.side_ = static_cast<std::uint8_t>(side);
        text::check_stones(std::popcount(position.stones_[0]), std::popcount(position.stones_[1]), side);
        if (board3::has_line[position.stones_[side]])
            throw PositionError("position: the side to move has three in a row already in " + text::quoted(word));
        return position;
    }
    static std::string move_text(Move move) { return text::cell_name(move / 3, move % 3, rows); }
    static Move parse_move(std::string_view name) {
        const auto [row, column] = text::parse_cell(name, rows, columns);
        return static_cast<Move>(3 * row + column);
    }

    unsigned move_mask() const { return board3::full & ~occupied(); }
    Move random_move(std::uint32_t random) const {
        const unsigned empty = move_mask();
        return bits::select[empty][Random::scale(random, bits::count[empty])];
    }
    // All picks from one random word, digit by digit.
    int rollout(Random& random) const {
        if (outcome() != Outcome::running) return first_player_result(*this);
        unsigned own = stones_[side_], other = stones_[side_ ^ 1], empty = move_mask();
        unsigned left = bits::count[empty];
        std::uint64_t word = random.next();
        const auto wins = [&](unsigned& board) {
            const unsigned __int128 digit = static_cast<unsigned __int128>(word) * left--;
            const unsigned cell = 1u << bits::select[empty][static_cast<std::uint64_t>(digit >> 64)];
            word = static_cast<std::uint64_t>(digit);
            empty ^= cell;
            return board3::has_line[board |= cell];
        };
        while (left) {
            if (wins(own)) return side_ ? -1 : 1;
            if (left && wins(other)) return side_ ? 1 : -1;
        }
        return 0;
    }
    Move threat(int side) const {
        const unsigned cells = board3::completing[stones_[side]] & ~occupied();
        return cells ? static_cast<Move>(std::countr_zero(cells)) : no_move;
    }
    int line_score(Move move) const {
        return board3::line_sum(stones_[0], stones_[1], move) + board3::line_sum(stones_[1], stones_[0], move);
    }
    bool operator==(const TicTacToe&) const = default;

  private:
    unsigned occupied() const { return stones_[0] | stones_[1]; }

    std::array<board3::Mask, 2> stones_{};
    std::uint8_t side_ = 0;
};

static_assert(Position<TicTacToe> && HasRandomMove<TicTacToe> && HasThreats<TicTacToe> && HasLineScore<TicTacToe> &&
              HasRollout<TicTacToe> && HasMoveMask<TicTacToe>);

}  // namespace fiedler
