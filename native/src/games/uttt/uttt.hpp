// Ultimate tic-tac-toe: nine local boards; the cell played names the board of the next move; three won boards in a row
// win.
#pragma once

#include <cassert>
#include <cstring>
#include <numeric>

#include "core/board3.hpp"
#include "core/concept.hpp"
#include "core/random.hpp"
#include "core/stones.hpp"
#include "games/uttt/evaluation.hpp"
#include "games/uttt/patterns.hpp"
#include "games/uttt/rollout.hpp"
#include "games/uttt/state.hpp"
#include "games/uttt/wide.hpp"

namespace fiedler {

// Boards and cells are both numbered row by row from the top left, an action is 9 * board + cell:
//
//     board 0 | board 1 | board 2        each board   0 1 2
//     board 3 | board 4 | board 5                     3 4 5
//     board 6 | board 7 | board 8                     6 7 8
//
// A local board is closed once it is won or full. A player sent to a closed board plays on any open one.
// With `majority`, the side with more local boards wins if all are closed without a line.
template <bool majority>
class UtttGame {
  public:
    static constexpr std::string_view id = majority ? "uttt-majority" : "uttt";
    static constexpr std::size_t actions = 81, max_moves = 81;
    static constexpr int max_plies = 81, cells_count = 81, rows = 9, columns = 9, planes_count = 6;
    static constexpr unsigned symmetries = 8;

    Outcome outcome() const {
        if (board3::has_line[s_.won[s_.side ^ 1]]) return Outcome::loss;
        if (s_.closed != board3::full) return Outcome::running;
        if constexpr (majority) return by_majority();
        return Outcome::draw;
    }
    void moves(Moves<UtttGame>& list) const {
        if (outcome() != Outcome::running) return;
        if (s_.target != uttt::any_board) return push_empty(s_.target, list);
        for (unsigned open = s_.open(); open; open &= open - 1) push_empty(uttt::first(open), list);
    }
    bool legal(Move move) const {
        if (move >= actions || outcome() != Outcome::running) return false;
        const unsigned board = move / 9u, cell = move % 9u;
        return (s_.target == uttt::any_board ? !(s_.closed >> board & 1) : s_.target == board) &&
               (empty(board) >> cell & 1);
    }
    void play(Move move) {
        assert(legal(move));
        const unsigned board = move / 9u, cell = move % 9u;
        const board3::Mask stones = s_.stones[s_.side][board] |= static_cast<board3::Mask>(1u << cell);
        if (board3::has_line[stones]) {
            s_.won[s_.side] |= static_cast<board3::Mask>(1u << board);
            s_.closed |= static_cast<board3::Mask>(1u << board);
        } else if (!empty(board)) {
            s_.closed |= static_cast<board3::Mask>(1u << board);
        }
        s_.target = s_.closed >> cell & 1 ? uttt::any_board : static_cast<std::uint8_t>(cell);
        s_.side ^= 1;
    }
    std::uint64_t key() const {
        std::uint64_t words[6]{};
        static_assert(sizeof s_.stones == 36);
        std::memcpy(words, s_.stones.data(), sizeof s_.stones);
        words[5] = 1u | unsigned{s_.target} << 1 | unsigned{s_.side} << 5;
        return hash_pairs(words);
    }
    int ply() const {
        int stones = 0;
        for (unsigned board = 0; board < 9; ++board) stones += 9 - bits::count[empty(board)];
        return stones;
    }
    int side() const { return s_.side; }
    int cell(int i) const {
        const auto [board, bit] = grid(i);
        return (s_.stones[0][board] >> bit & 1) + 2 * (s_.stones[1][board] >> bit & 1);
    }

    // Planes on the 9x9 grid, from the side to move: own stones, other stones, legal cells, boards won by the side to
    // move, boards won by the other side, boards full without a winner.
    void planes(float* out) const {
        constexpr unsigned all = 0x1ff;
        const bool running = outcome() == Outcome::running;
        for (unsigned board = 0; board < 9; ++board) {
            const bool won = s_.won[s_.side] >> board & 1, lost = s_.won[s_.side ^ 1] >> board & 1,
                       closed = s_.closed >> board & 1;
            const bool reachable = running && (s_.target == uttt::any_board ? !closed : s_.target == board);
            const unsigned cells[planes_count] = {s_.stones[s_.side][board],
                                                  s_.stones[s_.side ^ 1][board],
                                                  reachable ? empty(board) : 0u,
                                                  won ? all : 0,
                                                  lost ? all : 0,
                                                  closed && !won && !lost ? all : 0};
            float* corner = out + 27 * (board / 3) + 3 * (board % 3);
            for (const unsigned mask : cells) {
                for (unsigned row = 0; row < 3; ++row)
                    std::copy_n(three_cells[mask >> 3 * row & 7].data(), 3, corner + 9 * row);
                corner += 81;
            }
        }
    }
    // A symmetry of the square acts on the boards and on the cells of each.
    UtttGame transformed(unsigned symmetry) const {
        UtttGame result = *this;
        for (unsigned side = 0; side < 2; ++side) {
            for (unsigned board = 0; board < 9; ++board)
                result.s_.stones[side][board3::symmetry[symmetry][board]] =
                    board3::transformed_mask[symmetry][s_.stones[side][board]];
            result.s_.won[side] = board3::transformed_mask[symmetry][s_.won[side]];
        }
        result.s_.closed = board3::transformed_mask[symmetry][s_.closed];
        if (s_.target != uttt::any_board) result.s_.target = board3::symmetry[symmetry][s_.target];
        return result;
    }
    static Move transformed_move(unsigned symmetry, Move move) {
        return static_cast<Move>(9 * board3::symmetry[symmetry][move / 9] + board3::symmetry[symmetry][move % 9]);
    }

    // The notation of Nelson Elhage's ultimattt: side; boards (X, O won, # full, @ the next move's); the nine boards.
    std::string text() const {
        std::string word = s_.side ? "O;" : "X;";
        for (unsigned board = 0; board < 9; ++board) word += board == s_.target ? '@' : board_sign(board);
        for (unsigned board = 0; board < 9; ++board) {
            word += board ? '/' : ';';
            for (unsigned bit = 0; bit < 9; ++bit)
                word += text::stones[(s_.stones[0][board] >> bit & 1) + 2u * (s_.stones[1][board] >> bit & 1)];
        }
        return word;
    }
    static UtttGame parse(std::string_view word) {
        const auto [side, rest] = text::parse_side(word);
        if (rest.size() != 9 + 1 + 89 || rest[9] != ';')
            throw PositionError("position: expected 9 signs for the boards, ';' and 9 boards of 9 cells, got " +
                                text::quoted(word));
        UtttGame position;
        position.s_.side = static_cast<std::uint8_t>(side);
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
        unsigned board = s_.target;
        std::uint32_t k;
        if (board != uttt::any_board) {
            k = Random::scale(random, bits::count[empty(board)]);
        } else {
            unsigned open = s_.open();
            k = Random::scale(random, static_cast<std::uint32_t>(plies_left()));
            for (board = uttt::first(open); k >= bits::count[empty(board)]; board = uttt::first(open)) {
                k -= bits::count[empty(board)];
                open &= open - 1;
            }
        }
        return static_cast<Move>(9 * board + bits::select[empty(board)][k]);
    }
    int rollout(Random& random) const {
        assert(outcome() == Outcome::running);
        uttt::Rollout game(s_);
        const unsigned winner = game.play(s_.side, random);
        if (winner < 2) return winner ? -1 : 1;
        if constexpr (majority) return (game.boards(0) > game.boards(1)) - (game.boards(0) < game.boards(1));
        return 0;
    }
    std::array<std::int8_t, 16> results16(Random& random) const {
        assert(outcome() == Outcome::running);
        return uttt::Sixteen(s_, random).results<majority>();
    }
    int rollouts16(Random& random) const {
        const auto results = results16(random);
        return std::accumulate(results.begin(), results.end(), 0);
    }
    int move_count() const {
        if (outcome() != Outcome::running) return 0;
        return s_.target == uttt::any_board ? plies_left() : bits::count[empty(s_.target)];
    }
    Move threat(int side) const {
        unsigned boards = board3::completing[s_.won[side]] & ~s_.closed;
        if (s_.target != uttt::any_board) boards &= 1u << s_.target;
        for (; boards; boards &= boards - 1) {
            const unsigned board = uttt::first(boards);
            if (const unsigned cells = board3::completing[s_.stones[side][board]] & empty(board))
                return static_cast<Move>(9 * board + uttt::first(cells));
        }
        if constexpr (majority) return last_board_threat(side);
        return no_move;
    }
    int evaluate() const { return uttt::Evaluation<majority>(s_).centipawns(); }
    using Patterns = uttt::Patterns;
    void patterns(std::uint16_t* out) const { Patterns::of(s_, s_.side, playable(), out); }
    void patterns_for_opponent(std::uint16_t* out) const { Patterns::of(s_, s_.side ^ 1u, 0, out); }
    int proven_plies() const { return threat(s_.side) != no_move; }
    // Winning a board is good, sending the opponent to a closed board is bad.
    int order(Move move) const {
        const unsigned board = move / 9u, cell = move % 9u;
        const bool wins_board = board3::completing[s_.stones[s_.side][board]] >> cell & 1;
        const bool saves_board = board3::completing[s_.stones[s_.side ^ 1][board]] >> cell & 1;
        const bool frees = (s_.closed >> cell & 1) || (cell == board && wins_board);
        return 4 * wins_board + 2 * saves_board - 3 * frees;
    }
    int line_score(Move move) const {
        const unsigned board = move / 9u, cell = move % 9u;
        return both_sums(s_.stones[0][board], s_.stones[1][board], cell) + 9 * both_sums(s_.won[0], s_.won[1], board);
    }
    int plies_left() const {
        int cells = 0;
        for (unsigned open = s_.open(); open; open &= open - 1) cells += bits::count[empty(uttt::first(open))];
        return cells;
    }
    bool operator==(const UtttGame&) const = default;

  private:
    // The floats of three cells of a row, by their bits.
    static constexpr auto three_cells = [] {
        std::array<std::array<float, 3>, 8> floats{};
        for (unsigned bits = 0; bits < 8; ++bits)
            for (unsigned i = 0; i < 3; ++i) floats[bits][i] = static_cast<float>(bits >> i & 1);
        return floats;
    }();
    // Board and cell of a place on the 9x9 grid, row-major from the top left.
    static constexpr std::pair<unsigned, unsigned> grid(int i) {
        const unsigned row = static_cast<unsigned>(i) / 9, column = static_cast<unsigned>(i) % 9;
        return {row / 3 * 3 + column / 3, row % 3 * 3 + column % 3};
    }
    static int both_sums(board3::Mask a, board3::Mask b, unsigned cell) {
        return board3::line_sum(a, b, cell) + board3::line_sum(b, a, cell);
    }
    // A cell that closes the last board so that `side` has more boards.
    Move last_board_threat(int side) const {
        if (!std::has_single_bit(s_.open())) return no_move;
        const unsigned board = uttt::first(s_.open()), cells = empty(board);
        const unsigned winning = board3::completing[s_.stones[side][board]] & cells;
        if (!winning && !std::has_single_bit(cells)) return no_move;
        const bool more = bits::count[s_.won[side]] + (winning != 0) > bits::count[s_.won[side ^ 1]];
        return more ? static_cast<Move>(9 * board + uttt::first(winning ? winning : cells)) : no_move;
    }
    Outcome by_majority() const {
        const int lead = bits::count[s_.won[s_.side]] - bits::count[s_.won[s_.side ^ 1]];
        return lead > 0 ? Outcome::win : lead < 0 ? Outcome::loss : Outcome::draw;
    }
    // The boards of the next move.
    unsigned playable() const {
        if (outcome() != Outcome::running) return 0;
        return s_.target == uttt::any_board ? s_.open() : 1u << s_.target;
    }
    unsigned empty(unsigned board) const { return s_.empty(board); }
    void push_empty(unsigned board, Moves<UtttGame>& list) const {
        for (unsigned cells = empty(board); cells; cells &= cells - 1)
            list.push(static_cast<Move>(9 * board + uttt::first(cells)));
    }
    char board_sign(unsigned board) const {
        if (s_.won[0] >> board & 1) return 'X';
        if (s_.won[1] >> board & 1) return 'O';
        return s_.closed >> board & 1 ? '#' : '.';
    }
    void parse_boards(std::string_view boards);
    void parse_signs(std::string_view signs);
    void check(std::string_view word) const;
    void check_last_move(std::string_view word) const;
    unsigned last_cells() const;

    uttt::State s_;
};

template <bool majority>
void UtttGame<majority>::parse_boards(std::string_view boards) {
    for (unsigned board = 0; board < 9; ++board) {
        const std::string where = "board " + std::to_string(board + 1);
        if (board && boards[10 * board - 1] != '/')
            throw PositionError("position: expected '/' before " + where + " in " + text::quoted(boards));
        for (unsigned bit = 0; bit < 9; ++bit)
            if (const int owner = text::parse_stone(boards.substr(10 * board + bit), where))
                s_.stones[static_cast<unsigned>(owner - 1)][board] |= static_cast<board3::Mask>(1u << bit);
        const bool first = board3::has_line[s_.stones[0][board]], second = board3::has_line[s_.stones[1][board]];
        if (first && second) throw PositionError("position: both players have three in a row on " + where);
        if (!board3::meeting(s_.stones[0][board]) || !board3::meeting(s_.stones[1][board]))
            throw PositionError("position: no one move completed all the lines of three on " + where);
        s_.won[0] |= static_cast<board3::Mask>(first << board);
        s_.won[1] |= static_cast<board3::Mask>(second << board);
        s_.closed |= static_cast<board3::Mask>((first || second || !empty(board)) << board);
    }
}

template <bool majority>
void UtttGame<majority>::parse_signs(std::string_view signs) {
    for (unsigned board = 0; board < 9; ++board) {
        const bool aimed = signs[board] == '@';
        if (aimed && s_.target != uttt::any_board)
            throw PositionError("position: more than one '@' in " + text::quoted(signs));
        if (aimed) s_.target = static_cast<std::uint8_t>(board);
        if (aimed ? s_.closed >> board & 1 : signs[board] != board_sign(board))
            throw PositionError("position: board " + std::to_string(board + 1) + " is '" + board_sign(board) +
                                "' by its cells, but " + text::quoted_first(signs.substr(board)) + " is given");
    }
}

template <bool majority>
void UtttGame<majority>::check(std::string_view word) const {
    int stones[2]{};
    for (unsigned side = 0; side < 2; ++side)
        for (const auto mask : s_.stones[side]) stones[side] += bits::count[mask];
    text::check_stones(stones[0], stones[1], s_.side);
    if (board3::has_line[s_.won[s_.side]])
        throw PositionError("position: the side to move has three boards in a row already in " + text::quoted(word));
    if (stones[0]) return check_last_move(word);
    if (s_.target != uttt::any_board)
        throw PositionError("position: the first move is free, so no board can carry '@' in " + text::quoted(word));
}

// Whether some stone may have been the last, and agrees with the board of the next move in the text.
template <bool majority>
void UtttGame<majority>::check_last_move(std::string_view word) const {
    const auto fail = [&](std::string_view what) {
        return PositionError("position: " + std::string(what) + " in " + text::quoted(word));
    };
    const std::string mover = s_.side ? "X" : "O";
    if (!board3::meeting(s_.won[s_.side ^ 1])) throw fail("no one move completed all the lines of three boards");
    const unsigned cells = last_cells();
    if (!cells) throw fail("no stone of " + mover + " can have been the last");
    if (s_.target == uttt::any_board) {
        if (!(cells & s_.closed))
            throw fail("no board carries '@', but no last move of " + mover + " can have named a closed board");
    } else if (!(cells >> s_.target & 1)) {
        throw fail("board " + std::to_string(s_.target + 1) + " carries '@', but no last move of " + mover +
                   " can have named it");
    }
}

// The cells, within their boards, of all stones that may have been the last: without the stone its board was open, and
// there were no three boards in a row. Such a board may be closed now, by this stone.
template <bool majority>
unsigned UtttGame<majority>::last_cells() const {
    const unsigned mover = s_.side ^ 1u;
    unsigned cells = 0;
    for (unsigned boards = board3::meeting(s_.won[mover]) & ~s_.won[s_.side]; boards; boards &= boards - 1) {
        const board3::Mask stones = s_.stones[mover][uttt::first(boards)];
        cells |= stones & board3::meeting(stones);
    }
    return cells;
}

using Uttt = UtttGame<false>;
using UtttMajority = UtttGame<true>;

static_assert(Position<Uttt> && HasRandomMove<Uttt> && HasThreats<Uttt> && HasEvaluation<Uttt> && HasMoveOrder<Uttt> &&
              HasLineScore<Uttt> && HasPliesLeft<Uttt> && HasPatterns<Uttt>);

}  // namespace fiedler
