// Ultimate tic-tac-toe: nine local boards; the cell played names the board of the next move; three won boards in a row
// win.
#pragma once

#include <cassert>
#include <cmath>
#include <cstring>

#include "board3.hpp"
#include "concept.hpp"
#include "random.hpp"
#include "text.hpp"

namespace fiedler {

// Boards and cells are both numbered row by row from the top left, an action is 9 * board + cell:
//
//     board 0 | board 1 | board 2        each board   0 1 2
//     board 3 | board 4 | board 5                     3 4 5
//     board 6 | board 7 | board 8                     6 7 8
//
// A local board is closed once it is won or full. A player sent to a closed board plays on any open one.
class Uttt {
  public:
    static constexpr std::string_view id = "uttt";
    static constexpr std::size_t actions = 81, max_moves = 81;
    static constexpr int max_plies = 81, cells_count = 81, rows = 9, columns = 9, planes_count = 6;
    static constexpr unsigned symmetries = 8;

    Outcome outcome() const {
        if (board3::has_line[won_[side_ ^ 1]]) return Outcome::loss;
        return closed_ == board3::full ? Outcome::draw : Outcome::running;
    }
    void moves(Moves<Uttt>& list) const {
        if (outcome() != Outcome::running) return;
        if (target_ != any_board) return push_empty(target_, list);
        for (unsigned open = board3::full & ~closed_; open; open &= open - 1) push_empty(first(open), list);
    }
    bool legal(Move move) const {
        if (move >= actions || outcome() != Outcome::running) return false;
        const unsigned board = move / 9u, cell = move % 9u;
        return (target_ == any_board ? !(closed_ >> board & 1) : target_ == board) && (empty(board) >> cell & 1);
    }
    void play(Move move) {
        assert(legal(move));
        const unsigned board = move / 9u, cell = move % 9u;
        const board3::Mask stones = stones_[side_][board] |= static_cast<board3::Mask>(1u << cell);
        if (board3::has_line[stones]) {
            won_[side_] |= static_cast<board3::Mask>(1u << board);
            closed_ |= static_cast<board3::Mask>(1u << board);
        } else if (!empty(board)) {
            closed_ |= static_cast<board3::Mask>(1u << board);
        }
        target_ = closed_ >> cell & 1 ? any_board : static_cast<std::uint8_t>(cell);
        side_ ^= 1;
    }
    std::uint64_t key() const {
        std::uint64_t words[5]{};
        static_assert(sizeof stones_ == 36);
        std::memcpy(words, stones_.data(), sizeof stones_);
        return hash_words(words[0], words[1], words[2], words[3],
                          words[4] | std::uint64_t{target_} << 32 | std::uint64_t{side_} << 40);
    }
    int ply() const {
        int stones = 0;
        for (unsigned board = 0; board < 9; ++board) stones += bits::count[occupied(board)];
        return stones;
    }
    int side() const { return side_; }
    int cell(int i) const {
        const auto [board, bit] = grid(i);
        return (stones_[0][board] >> bit & 1) + 2 * (stones_[1][board] >> bit & 1);
    }

    // Planes on the 9x9 grid, from the side to move: own stones, other stones, legal cells, boards won by the side to
    // move, boards won by the other side, boards full without a winner.
    void planes(float* out) const {
        const bool running = outcome() == Outcome::running;
        for (int i = 0; i < 81; ++i) {
            const auto [board, bit] = grid(i);
            const bool won = won_[side_] >> board & 1, lost = won_[side_ ^ 1] >> board & 1,
                       closed = closed_ >> board & 1;
            const bool reachable = running && (target_ == any_board ? !closed : target_ == board);
            out[i] = static_cast<float>(stones_[side_][board] >> bit & 1);
            out[81 + i] = static_cast<float>(stones_[side_ ^ 1][board] >> bit & 1);
            out[162 + i] = static_cast<float>(reachable && (empty(board) >> bit & 1));
            out[243 + i] = static_cast<float>(won);
            out[324 + i] = static_cast<float>(lost);
            out[405 + i] = static_cast<float>(closed && !won && !lost);
        }
    }
    // A symmetry of the square acts on the boards and on the cells of each alike.
    Uttt transformed(unsigned symmetry) const {
        Uttt result = *this;
        for (unsigned side = 0; side < 2; ++side) {
            for (unsigned board = 0; board < 9; ++board)
                result.stones_[side][board3::symmetry[symmetry][board]] =
                    board3::transformed_mask[symmetry][stones_[side][board]];
            result.won_[side] = board3::transformed_mask[symmetry][won_[side]];
        }
        result.closed_ = board3::transformed_mask[symmetry][closed_];
        if (target_ != any_board) result.target_ = board3::symmetry[symmetry][target_];
        return result;
    }
    static Move transformed_move(unsigned symmetry, Move move) {
        return static_cast<Move>(9 * board3::symmetry[symmetry][move / 9] + board3::symmetry[symmetry][move % 9]);
    }

    // The notation of Nelson Elhage's ultimattt: side; boards (X, O won, # full, @ the next move's); the nine boards.
    std::string text() const {
        std::string word = side_ ? "O;" : "X;";
        for (unsigned board = 0; board < 9; ++board) word += board == target_ ? '@' : board_sign(board);
        for (unsigned board = 0; board < 9; ++board) {
            word += board ? '/' : ';';
            for (unsigned bit = 0; bit < 9; ++bit)
                word += text::stones[(stones_[0][board] >> bit & 1) + 2u * (stones_[1][board] >> bit & 1)];
        }
        return word;
    }
    static Uttt parse(std::string_view word) {
        const auto [side, rest] = text::parse_side(word);
        if (rest.size() != 9 + 1 + 89 || rest[9] != ';')
            throw PositionError("position: expected 9 signs for the boards, ';' and 9 boards of 9 cells, got " +
                                text::quoted(word));
        Uttt position;
        position.side_ = static_cast<std::uint8_t>(side);
        position.parse_boards(rest.substr(10));
        position.parse_signs(rest.substr(0, 9));
        position.check(word);
        return position;
    }
    static std::string move_text(Move move) {
        return text::cell_name(move / 27 * 3 + move % 9 / 3, move / 9 % 3 * 3 + move % 3, rows);
    }
    static Move parse_move(std::string_view name) {
        const auto [row, column] = text::parse_cell(name, rows, columns);
        const auto [board, bit] = grid(9 * row + column);
        return static_cast<Move>(9 * board + bit);
    }

    Move random_move(std::uint32_t random) const {
        unsigned board = target_;
        std::uint32_t k;
        if (board != any_board) {
            k = Random::scale(random, bits::count[empty(board)]);
        } else {
            unsigned open = board3::full & ~closed_;
            k = Random::scale(random, static_cast<std::uint32_t>(plies_left()));
            for (board = first(open); k >= bits::count[empty(board)]; board = first(open)) {
                k -= bits::count[empty(board)];
                open &= open - 1;
            }
        }
        return static_cast<Move>(9 * board + bits::select[empty(board)][k]);
    }
    Move threat(int side) const {
        unsigned boards = board3::completing[won_[side]] & ~closed_;
        if (target_ != any_board) boards &= 1u << target_;
        for (; boards; boards &= boards - 1) {
            const unsigned board = first(boards);
            if (const unsigned cells = board3::completing[stones_[side][board]] & empty(board))
                return static_cast<Move>(9 * board + first(cells));
        }
        return no_move;
    }
    // Chances of each side to own each local board, multiplied along the macro lines, and the freedom of the next move.
    int evaluate() const {
        const auto own = chances(side_), other = chances(side_ ^ 1);
        float balance = 0;
        for (const auto& line : macro_lines)
            balance += own[line[0]] * own[line[1]] * own[line[2]] - other[line[0]] * other[line[1]] * other[line[2]];
        constexpr float centipawns_per_line = 450;
        constexpr int free_choice = 40;
        return static_cast<int>(std::lround(centipawns_per_line * balance)) + (target_ == any_board ? free_choice : 0);
    }
    // Winning a board is good, sending the opponent to a closed board is bad.
    int order(Move move) const {
        const unsigned board = move / 9u, cell = move % 9u;
        const bool wins_board = board3::completing[stones_[side_][board]] >> cell & 1;
        const bool saves_board = board3::completing[stones_[side_ ^ 1][board]] >> cell & 1;
        const bool frees = (closed_ >> cell & 1) || (cell == board && wins_board);
        return 4 * wins_board + 2 * saves_board - 3 * frees;
    }
    int line_score(Move move) const {
        const unsigned board = move / 9u, cell = move % 9u;
        return both_sums(stones_[0][board], stones_[1][board], cell) + 9 * both_sums(won_[0], won_[1], board);
    }
    int plies_left() const {
        int cells = 0;
        for (unsigned open = board3::full & ~closed_; open; open &= open - 1) cells += bits::count[empty(first(open))];
        return cells;
    }
    bool operator==(const Uttt&) const = default;

  private:
    static constexpr std::uint8_t any_board = 9;
    static constexpr std::array<std::array<std::uint8_t, 3>, 8> macro_lines{
        {{0, 1, 2}, {3, 4, 5}, {6, 7, 8}, {0, 3, 6}, {1, 4, 7}, {2, 5, 8}, {0, 4, 8}, {2, 4, 6}}};

    // Board and cell of a place on the 9x9 grid, row-major from the top left.
    static constexpr std::pair<unsigned, unsigned> grid(int i) {
        const unsigned row = static_cast<unsigned>(i) / 9, column = static_cast<unsigned>(i) % 9;
        return {row / 3 * 3 + column / 3, row % 3 * 3 + column % 3};
    }
    static int both_sums(board3::Mask a, board3::Mask b, unsigned cell) {
        return board3::line_sum(a, b, cell) + board3::line_sum(b, a, cell);
    }
    static unsigned first(unsigned mask) { return static_cast<unsigned>(std::countr_zero(mask)); }
    unsigned occupied(unsigned board) const { return stones_[0][board] | stones_[1][board]; }
    unsigned empty(unsigned board) const { return board3::full & ~occupied(board); }
    void push_empty(unsigned board, Moves<Uttt>& list) const {
        for (unsigned cells = empty(board); cells; cells &= cells - 1)
            list.push(static_cast<Move>(9 * board + first(cells)));
    }
    char board_sign(unsigned board) const {
        if (won_[0] >> board & 1) return 'X';
        if (won_[1] >> board & 1) return 'O';
        return closed_ >> board & 1 ? '#' : '.';
    }
    std::array<float, 9> chances(unsigned side) const;
    void parse_boards(std::string_view boards);
    void parse_signs(std::string_view signs);
    void check(std::string_view word) const;

    std::array<std::array<board3::Mask, 9>, 2> stones_{};  // of each player, on each local board
    std::array<board3::Mask, 2> won_{};                    // boards won by each player
    board3::Mask closed_ = 0;                              // boards won or full
    std::uint8_t target_ = any_board;                      // where the side to move must play
    std::uint8_t side_ = 0;
};

// For each own and other mask of a local board: the chance to win it in the random-turn game, in which a fair coin
// names the mover of every move and both play best (Peres, Schramm, Sheffield and Wilson 2007, "Random-turn Hex and
// other selection games"). Good play elsewhere decides who moves here next, so a coin is a fair stand-in.
class BoardChances {
  public:
    static float win(board3::Mask own, board3::Mask other) {
        static const BoardChances table;
        return table.win_[ternary[own] + 2 * ternary[other]];
    }

  private:
    static constexpr int states = 19683;  // 3^9
    static constexpr auto ternary = [] {
        std::array<std::uint16_t, 512> table{};
        for (unsigned mask = 0; mask < 512; ++mask)
            for (unsigned cell = 0, power = 1; cell < 9; ++cell, power *= 3)
                if (mask >> cell & 1) table[mask] = static_cast<std::uint16_t>(table[mask] + power);
        return table;
    }();

    // A stone always raises the ternary number, so going down visits every successor first.
    BoardChances() {
        for (int state = states - 1; state >= 0; --state) {
            unsigned own = 0, other = 0;
            for (int cell = 0, rest = state; cell < 9; ++cell, rest /= 3) {
                own |= static_cast<unsigned>(rest % 3 == 1) << cell;
                other |= static_cast<unsigned>(rest % 3 == 2) << cell;
            }
            settle(static_cast<unsigned>(state), own, other);
        }
    }
    void settle(unsigned state, unsigned own, unsigned other) {
        const unsigned empty = board3::full & ~(own | other);
        if (board3::has_line[own] || board3::has_line[other] || !empty) {
            win_[state] = board3::has_line[own];
            lose_[state] = board3::has_line[other];
            return;
        }
        unsigned best = 0, worst = 0;
        float highest = -2, lowest = 2;
        for (unsigned cells = empty, power = 1, cell = 0; cell < 9; ++cell, power *= 3) {
            if (!(cells >> cell & 1)) continue;
            const float mine = win_[state + power] - lose_[state + power];
            const float theirs = win_[state + 2 * power] - lose_[state + 2 * power];
            if (mine > highest) highest = mine, best = state + power;
            if (theirs < lowest) lowest = theirs, worst = state + 2 * power;
        }
        win_[state] = (win_[best] + win_[worst]) / 2;
        lose_[state] = (lose_[best] + lose_[worst]) / 2;
    }

    std::array<float, states> win_{}, lose_{};
};

inline std::array<float, 9> Uttt::chances(unsigned side) const {
    std::array<float, 9> result;
    for (unsigned board = 0; board < 9; ++board)
        result[board] = BoardChances::win(stones_[side][board], stones_[side ^ 1][board]);
    return result;
}

inline void Uttt::parse_boards(std::string_view boards) {
    for (unsigned board = 0; board < 9; ++board) {
        const std::string where = "board " + std::to_string(board + 1);
        if (board && boards[10 * board - 1] != '/')
            throw PositionError("position: expected '/' before " + where + " in " + text::quoted(boards));
        for (unsigned bit = 0; bit < 9; ++bit)
            if (const int owner = text::parse_stone(boards[10 * board + bit], where))
                stones_[static_cast<unsigned>(owner - 1)][board] |= static_cast<board3::Mask>(1u << bit);
        const bool first = board3::has_line[stones_[0][board]], second = board3::has_line[stones_[1][board]];
        if (first && second) throw PositionError("position: both players have three in a row on " + where);
        won_[0] |= static_cast<board3::Mask>(first << board);
        won_[1] |= static_cast<board3::Mask>(second << board);
        closed_ |= static_cast<board3::Mask>((first || second || !empty(board)) << board);
    }
}

inline void Uttt::parse_signs(std::string_view signs) {
    for (unsigned board = 0; board < 9; ++board) {
        const bool aimed = signs[board] == '@';
        if (aimed && target_ != any_board) throw PositionError("position: more than one '@' in " + text::quoted(signs));
        if (aimed) target_ = static_cast<std::uint8_t>(board);
        if (aimed ? closed_ >> board & 1 : signs[board] != board_sign(board))
            throw PositionError("position: board " + std::to_string(board + 1) + " is '" + board_sign(board) +
                                "' by its cells, but " + text::quoted(signs.substr(board, 1)) + " is given");
    }
}

inline void Uttt::check(std::string_view word) const {
    int stones[2]{};
    for (unsigned side = 0; side < 2; ++side)
        for (const auto mask : stones_[side]) stones[side] += bits::count[mask];
    text::check_stones(stones[0], stones[1], side_);
    if (board3::has_line[won_[side_]])
        throw PositionError("position: the side to move has three boards in a row already in " + text::quoted(word));
    if (!stones[0] && target_ != any_board)
        throw PositionError("position: the first move is free, so no board can carry '@' in " + text::quoted(word));
}

static_assert(Position<Uttt> && HasRandomMove<Uttt> && HasThreats<Uttt> && HasEvaluation<Uttt> && HasMoveOrder<Uttt> &&
              HasLineScore<Uttt> && HasPliesLeft<Uttt>);

}  // namespace fiedler
