// Go by the rules of Tromp and Taylor, with or without suicide, on boards of three sizes.
#pragma once

#include <algorithm>
#include <cassert>

#include "core/random.hpp"
#include "core/stones.hpp"
#include "games/go/chains.hpp"
#include "games/go/evaluation.hpp"
#include "games/go/history.hpp"
#include "games/go/rollout.hpp"
#include "games/go/rules.hpp"

namespace fiedler {

// An action is the point of a stone, size * row + column from the top left, or `pass`, the number of points. No move
// may repeat an earlier board (positional superko), so a position has the keys of all of them. Two passes, or 3 *
// points plies, end the game; stones and surrounded points count, and the second player gets the komi of the rules.
template <int board_size>
class Go {
  public:
    static constexpr int size = board_size;
    static constexpr std::string_view id = size == 9 ? "go9" : size == 13 ? "go13" : "go19";
    static constexpr int cells_count = size * size, rows = size, columns = size;
    static constexpr int max_plies = 3 * cells_count, planes_count = 3;
    static constexpr std::size_t actions = cells_count + 1, max_moves = actions;
    static constexpr unsigned symmetries = 8;
    static constexpr bool moves_pieces = true;
    static constexpr Move pass = cells_count;

    using Board = go::Chains<size>;
    using Point = typename Board::Point;

    Go() : Go({}, 0, {}) {}

    Outcome outcome() const { return outcome_; }
    void moves(Moves<Go>& list) const {
        if (!running()) return;
        for (Move point = 0; point < pass; ++point)
            if (!board_.owner(point) && allows(point)) list.push(point);
        list.push(pass);
    }
    bool legal(Move move) const {
        return running() && (move == pass || (move < pass && !board_.owner(move) && allows(move)));
    }
    void play(Move move) {
        assert(legal(move));
        if (move == pass) {
            put_nothing();
        } else {
            put(move, [](Point) {});
        }
    }
    std::uint64_t key() const { return history_.key(); }
    int ply() const { return static_cast<int>(history_.plies()); }
    int side() const { return side_; }
    int cell(int i) const { return static_cast<int>(board_.owner(static_cast<std::size_t>(i))); }

    // Planes: stones of the side to move; stones of the other side; 1 everywhere when the first player is to move.
    void planes(float* out) const {
        for (const unsigned owner : {side_ + 1u, 2u - side_})
            for (std::size_t point = 0; point < pass; ++point) *out++ = board_.owner(point) == owner;
        std::fill(out, out + cells_count, side_ ? 0.0f : 1.0f);
    }
    // Bit 0 of the symmetry mirrors the columns, bit 1 the rows, bit 2 swaps rows and columns afterwards.
    Go transformed(unsigned symmetry) const {
        Stones start;
        for (unsigned side = 0; side < 2; ++side)
            for (Move point = 0; point < pass; ++point)
                if (history_.start(side)[point]) start[side].set(transformed_move(symmetry, point));
        Go result(start, history_.first_side(), rules_);
        for (std::size_t ply = 0; ply < history_.plies(); ++ply)
            result.play(transformed_move(symmetry, history_.move(ply)));
        return result;
    }
    static Move transformed_move(unsigned symmetry, Move move) {
        if (move == pass) return pass;
        int row = move / size, column = move % size;
        if (symmetry & 1) column = size - 1 - column;
        if (symmetry & 2) row = size - 1 - row;
        if (symmetry & 4) std::swap(row, column);
        return static_cast<Move>(size * row + column);
    }

    // The side to move and the board; after moves `;` and their names, joined by `-`; if the game did not begin on the
    // empty board, `;` and its start, a side and a board; then the rules, if they are not the default ones.
    std::string text() const {
        std::string word = text::rows_text(*this);
        for (std::size_t ply = 0; ply < history_.plies(); ++ply) {
            word += ply ? '-' : ';';
            word += move_text(history_.move(ply));
        }
        const Go start(Stones{history_.start(0), history_.start(1)}, history_.first_side(), {});
        if (history_.plies() && start != Go()) word.append(1, ';').append(text::rows_text(start));
        return word + rules_.text();
    }
    static Go parse(std::string_view word);
    static std::string move_text(Move move) {
        return move == pass ? "pass" : text::cell_name(move / size, move % size, rows);
    }
    static Move parse_move(std::string_view name) {
        if (name == "pass") return pass;
        try {
            const auto [row, column] = text::parse_cell(name, rows, columns);
            return static_cast<Move>(size * row + column);
        } catch (const IllegalMove&) {
            throw IllegalMove("move: expected a1 to " + text::cell_name(0, columns - 1, rows) + " or pass, got " +
                              text::quoted(name));
        }
    }
    std::string_view refusal(Move move) const {
        if (move >= pass || board_.owner(move)) return {};
        if (!rules_.suicide && !board_.lives(side_, move)) return "suicide";
        return allows(move) ? "" : "repetition";
    }

    const Board& board() const { return board_; }
    bool running() const { return outcome_ == Outcome::running; }
    // Whether a stone of the side to move may be put on an empty point.
    bool allows(std::size_t point) const {
        if (board_.lives(side_, point)) return !repeats(point);
        return rules_.suicide && !history_.has(board_.key_after_suicide(side_, point));
    }
    // Whether such a stone is no suicide; without suicide every allowed one survives.
    bool survives(std::size_t point) const { return !rules_.suicide || board_.lives(side_, point); }
    // Plays a stone, and calls `removed` for each point that it captures.
    template <class Removed>
    void put(std::size_t point, Removed removed) {
        board_.play(side_, point, removed);
        history_.stone(side_, point, board_.key());
        passes_ = 0;
        turn();
    }
    void put_nothing() {
        history_.pass();
        ++passes_;
        turn();
    }
    // The result for the first player if the game ended here: 1, 0 or -1.
    int result() const {
        const int lead = 2 * board_.area() - rules_.komi2;
        return (lead > 0) - (lead < 0);
    }
    // Whether a pass ends the game, won by the side to move.
    bool pass_wins() const { return (passes_ || last_ply()) && result() == (side_ ? -1 : 1); }

    Move threat(int side) const {
        if (side != side_ || !running()) return no_move;
        if (pass_wins()) return pass;
        if (last_ply())
            for (Move point = 0; point < pass; ++point) {
                if (board_.owner(point) || !allows(point)) continue;
                Go after = *this;
                after.play(point);
                if (after.outcome_ == Outcome::loss) return point;
            }
        return no_move;
    }
    int rollout(Random& random) const { return running() ? go::Rollout<Go>(*this).play_any(random) : result(); }
    int heuristic_rollout(Random& random) const {
        return running() ? go::Rollout<Go>(*this).play_sensibly(random) : result();
    }
    int evaluate() const {
        constexpr int centipawns_a_point = 20;
        const int lead2 = 2 * go::nearest_stones(board_, side_) + (side_ ? rules_.komi2 : -rules_.komi2);
        return centipawns_a_point * lead2 / 2;
    }
    // Captures and escapes first, a pass last.
    int order(Move move) const { return move == pass ? -1 : board_.freed(move); }
    bool operator==(const Go& other) const { return rules_ == other.rules_ && history_ == other.history_; }

  private:
    using Mask = typename Board::Mask;
    using Stones = std::array<Mask, 2>;

    Go(const Stones& stones, unsigned side, const go::Rules& rules)
        : board_(with(stones)),
          history_(stones, side, board_.key(), rules.key()),
          rules_(rules),
          side_(static_cast<std::uint8_t>(side)) {}

    static Board with(const Stones& stones) {
        Board board;
        for (unsigned side = 0; side < 2; ++side)
            for (std::size_t point = 0; point < pass; ++point)
                if (stones[side][point]) board.put(side, point);
        return board;
    }
    static Go parse_board(std::string_view word, const go::Rules& rules);

    bool repeats(std::size_t point) const {
        return history_.stood(side_, point) && history_.has(board_.key_after(side_, point));
    }
    bool last_ply() const { return ply() + 1 == max_plies; }
    void turn() {
        side_ ^= 1;
        if (passes_ < 2 && ply() < max_plies) return;
        const int winner = result();
        outcome_ = winner == 0 ? Outcome::draw : (winner > 0) == (side_ == 0) ? Outcome::win : Outcome::loss;
    }

    Board board_;
    go::History<cells_count, max_plies> history_;
    go::Rules rules_;
    std::uint8_t side_ = 0;
    std::uint8_t passes_ = 0;  // the last moves that were passes
    Outcome outcome_ = Outcome::running;
};

// A position without moves.
template <int board_size>
Go<board_size> Go<board_size>::parse_board(std::string_view word, const go::Rules& rules) {
    const auto [side, board] = text::parse_side(word);
    Stones stones;
    text::parse_rows(board, rows, columns, [&](int row, int column, int owner) {
        stones[static_cast<std::size_t>(owner)].set(static_cast<std::size_t>(size * row + column));
    });
    const Go position(stones, static_cast<unsigned>(side), rules);
    for (Move point = 0; point < pass; ++point)
        if (position.board_.captured(point))
            throw PositionError("position: the stones at " + move_text(point) + " have no liberty in " +
                                text::quoted(word));
    return position;
}

template <int board_size>
Go<board_size> Go<board_size>::parse(std::string_view word) {
    constexpr std::size_t board_length = 2 + rows * (columns + 1) - 1;  // with the side
    const go::Rules rules = go::Rules::take(word);
    const std::string_view shown = word.substr(0, word.find(';', 2));
    if (shown.size() == word.size()) return parse_board(word, rules);
    std::string_view names = word.substr(shown.size() + 1);
    Go position({}, 0, rules);
    if (const std::size_t end = names.find(';'); end != names.npos) {
        position = parse_board(names.substr(end + 1), rules);
        names = names.substr(0, end);
    }
    for (bool more = true; more;) {
        const std::size_t end = std::min(names.find('-'), names.size());
        const auto fail = [&](std::string_view why) {
            return PositionError("position: move " + std::to_string(position.ply() + 1) +
                                 " of its past: " + std::string(why));
        };
        Move move = no_move;
        try {
            move = parse_move(names.substr(0, end));
        } catch (const IllegalMove& error) {
            throw fail(error.what());
        }
        if (!position.legal(move)) throw fail(move_text(move) + " is not legal");
        position.play(move);
        more = end < names.size();
        if (more) names = names.substr(end + 1);
    }
    if (position.text() != std::string(word) + rules.text())
        throw PositionError("position: its past leads to " + text::rows_text(position) + ", got " +
                            text::quoted(word.substr(0, board_length)));
    return position;
}

using Go9 = Go<9>;
using Go13 = Go<13>;
using Go19 = Go<19>;

static_assert(Position<Go9> && Position<Go13> && Position<Go19>);
static_assert(HasThreats<Go9> && HasRollout<Go9> && HasHeuristicRollout<Go9> && HasRefusal<Go9> && HasEvaluation<Go9> &&
              HasMoveOrder<Go9> && MovesPieces<Go9>);

}  // namespace fiedler
