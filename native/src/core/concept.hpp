// The contract of a game: the required members, and the optional ones.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "core/random.hpp"

namespace fiedler {

// A move is an index into the game's fixed list of actions, 0 .. P::actions - 1; the same index addresses the policy of
// a network.
using Move = std::uint16_t;
inline constexpr Move no_move = 0xffff;

// The state of the game as the side to move sees it. In most games only the side that has just moved can have won, so
// `win` is rare; it exists for rules that count at the end.
enum class Outcome : std::uint8_t { running, win, loss, draw };

// Text that is not a position of the game; the message is one line: place, expectation, input.
struct PositionError : std::invalid_argument {
    using std::invalid_argument::invalid_argument;
};

// Not a move of the game, or not a legal one here.
struct IllegalMove : std::invalid_argument {
    using std::invalid_argument::invalid_argument;
};

// A list of moves of bounded length, without a heap.
template <std::size_t N>
class MoveList {
  public:
    void push(Move move) { moves_[size_++] = move; }
    void clear() { size_ = 0; }
    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    Move& operator[](std::size_t i) { return moves_[i]; }
    Move operator[](std::size_t i) const { return moves_[i]; }
    Move* begin() { return moves_.data(); }
    Move* end() { return moves_.data() + size_; }
    const Move* begin() const { return moves_.data(); }
    const Move* end() const { return moves_.data() + size_; }

  private:
    std::array<Move, N> moves_;
    std::size_t size_ = 0;
};

// The legal moves of one position of P.
template <class P>
using Moves = MoveList<P::max_moves>;

// A game is a small copyable value. `play` asserts that the move is legal and the game is running; `parse` and
// `parse_move` check text, and throw.
template <class P>
concept Position = std::copyable<P> && std::equality_comparable<P> && std::default_initializable<P> &&
                   requires(P p, const P c, Move m, Moves<P>& list, float* planes, std::string_view text,
                            unsigned symmetry, int cell) {
                       { P::id } -> std::convertible_to<std::string_view>;    // its name, such as "uttt"
                       { P::actions } -> std::convertible_to<std::size_t>;    // number of action indices
                       { P::max_moves } -> std::convertible_to<std::size_t>;  // most legal moves in any position
                       { P::max_plies } -> std::convertible_to<int>;          // longest possible game
                       { P::cells_count } -> std::convertible_to<int>;        // cells of the board
                       { P::rows } -> std::convertible_to<int>;               // of a plane; a flat board is one plane
                       { P::columns } -> std::convertible_to<int>;
                       { P::planes_count } -> std::convertible_to<int>;     // binary input planes of a network
                       { P::symmetries } -> std::convertible_to<unsigned>;  // symmetry 0 is the identity
                       { c.outcome() } -> std::same_as<Outcome>;
                       { c.moves(list) } -> std::same_as<void>;  // appends, ascending; nothing once the game is over
                       { c.legal(m) } -> std::same_as<bool>;
                       { p.play(m) } -> std::same_as<void>;
                       { c.key() } -> std::same_as<std::uint64_t>;  // equal positions have equal keys
                       { c.ply() } -> std::same_as<int>;   // stones on the board; of others, plies since the start
                       { c.side() } -> std::same_as<int>;  // 0 first player, 1 second player
                       {
                           c.cell(cell)
                       } -> std::same_as<int>;                      // row-major from the top left: 0, or 1 + its owner;
                                                                    // of other pieces, 1 + the place of its kind
                       { c.planes(planes) } -> std::same_as<void>;  // planes_count x rows x columns floats, all written
                       { c.transformed(symmetry) } -> std::same_as<P>;
                       { P::transformed_move(symmetry, m) } -> std::same_as<Move>;
                       { c.text() } -> std::same_as<std::string>;  // one word; parse(text()) gives the position back
                       { P::parse(text) } -> std::same_as<P>;
                       { P::move_text(m) } -> std::same_as<std::string>;
                       { P::parse_move(text) } -> std::same_as<Move>;  // of the game; it may be illegal here
                   };

// The floats of the planes of a position.
template <Position P>
inline constexpr std::size_t planes_size = std::size_t{P::planes_count} * P::rows * P::columns;

// The optional members of a game; the searches test for each at compile time.

// A heuristic value for the side to move, in centipawns of the UGI scale: 400 log10(s / (1 - s)) for an expected score
// s.
template <class P>
concept HasEvaluation = requires(const P p) {
    { p.evaluate() } -> std::same_as<int>;
};

// The promise of a legal move before any search; higher is searched first.
template <class P>
concept HasMoveOrder = requires(const P p, Move m) {
    { p.order(m) } -> std::same_as<int>;
};

// Moves that change an evaluation at once, such as captures.
template <class P>
concept HasLoudMoves = requires(const P p, Moves<P>& list) { p.loud_moves(list); };

// The proof by threats, without a search: n > 0, the side to move wins in n plies and not sooner; n < 0, it loses in
// -n plies and not later; 0, none. The game must be running.
template <class P>
concept HasProof = requires(const P p) {
    { p.proven_plies() } -> std::same_as<int>;
};

// Appends the legal moves worth a search, at least one while the game is running: no other move is better than the best
// of these (say, only the cell that stops an immediate win).
template <class P>
concept HasCandidates = requires(const P p, Moves<P>& list) {
    { p.candidates(list) } -> std::same_as<void>;
};

// Plays uniformly random moves to the end, faster than move by move; the first player's result.
template <class P>
concept HasRollout = requires(const P p, Random& random) {
    { p.rollout(random) } -> std::same_as<int>;
};

// Sixteen of them side by side, in vector registers if there are any: the sum of the first player's results, or each of
// them. The same `random` gives the same results on all machines.
template <class P>
concept HasWideRollout = requires(const P p, Random& random) {
    { p.rollouts16(random) } -> std::same_as<int>;
    { p.results16(random) } -> std::same_as<std::array<std::int8_t, 16>>;
};

// One rollout with moves that win at once, block at once, or follow the game's own priorities.
template <class P>
concept HasHeuristicRollout = requires(const P p, Random& random) {
    { p.heuristic_rollout(random) } -> std::same_as<int>;
};

// A uniformly random legal move without building the list; `random` gives 32 uniform bits.
template <class P>
concept HasRandomMove = requires(const P p, std::uint32_t random) {
    { p.random_move(random) } -> std::same_as<Move>;
};

// The legal moves of a running game as a mask, of games with at most nine actions.
template <class P>
concept HasMoveMask = requires(const P p) {
    { p.move_mask() } -> std::same_as<unsigned>;
};

// The board alone, of games whose positions hold more than that: it is faster to play on. P(board) is the position.
template <class P>
concept HasBoard = requires(const P p, P::Board board, Move m) {
    { p.board() } -> std::same_as<typename P::Board>;
    { board.play(m) } -> std::same_as<void>;
    P(board);
};
template <Position P>
auto board_of(const P& position) {
    if constexpr (HasBoard<P>) {
        return position.board();
    } else {
        return position;
    }
}
template <Position P>
using BoardOf = decltype(board_of(P{}));
// By value, or a reference in the games without a board of their own.
template <Position P>
decltype(auto) position_of(const BoardOf<P>& board) {
    if constexpr (HasBoard<P>) {
        return P(board);
    } else {
        return (board);
    }
}

// The number of legal moves, without building the list.
template <class P>
concept HasMoveCount = requires(const P p) {
    { p.move_count() } -> std::same_as<int>;
};

// A cell, legal for the side to move, on which `side` would win the game at once; no_move if there is none.
template <class P>
concept HasThreats = requires(const P p, int side) {
    { p.threat(side) } -> std::same_as<Move>;
};

// The heuristic of the bot hsp for a legal move (docs/players.md).
template <class P>
concept HasLineScore = requires(const P p, Move m) {
    { p.line_score(m) } -> std::same_as<int>;
};

// A win of the side to move by continuous threats, searched with at most `nodes` positions; plies to its end, 0 if none
// was found; not always the shortest.
struct ForcedWin {
    int plies = 0;
    Move first = no_move;
};
template <class P>
concept HasForcedWin = requires(const P p, std::uint64_t nodes) {
    { p.forced_win(nodes) } -> std::same_as<ForcedWin>;
};

// The reason why an empty cell of a running game is forbidden to the side to move, in a word or two such as `double
// three`; empty if it is allowed.
template <class P>
concept HasRefusal = requires(const P p, Move m) {
    { p.refusal(m) } -> std::same_as<std::string_view>;
};

// The members of a game that can be solved by a search to its end (solve.hpp).
template <class P>
concept HasSolving = HasProof<P> && HasCandidates<P> && HasMoveOrder<P> && requires(const P p, std::uint64_t n) {
    // The ply from which on searches of n positions often reach the end.
    { P::solvable_from(n) } -> std::same_as<int>;
    { P::proof_plies } -> std::convertible_to<int>;        // proven_plies() finds every result within these plies
    { p.symmetric_key() } -> std::same_as<std::uint64_t>;  // the same for symmetric positions, and for no others
    { p.ceiling() } -> std::same_as<int>;  // 0: no better than a draw; -n: a loss in at most n plies; 1: unknown
};

// The position as patterns, for incremental networks: each of `places` parts of the board has one of `count` patterns,
// which `inputs` numbers describe.
template <class P>
concept HasPatterns = requires(const P p, std::uint16_t* out, std::size_t pattern, float* inputs) {
    { P::Patterns::places } -> std::convertible_to<std::size_t>;
    { P::Patterns::count } -> std::convertible_to<std::size_t>;
    { P::Patterns::inputs } -> std::convertible_to<std::size_t>;
    { P::Patterns::describe(pattern, inputs) } -> std::same_as<void>;
    { p.patterns(out) } -> std::same_as<void>;               // for the side to move
    { p.patterns_for_opponent(out) } -> std::same_as<void>;  // near those of all positions after the next move
};

// Pieces move, or are taken: a move does more than put a stone of its side on an empty cell.
template <class P>
concept MovesPieces = requires { requires P::moves_pieces; };

// How a finished game ended, in a few words such as `stalemate`; empty while it is running.
template <class P>
concept HasEnding = requires(const P p) {
    { p.ending() } -> std::same_as<std::string_view>;
};

// An upper bound on the remaining plies.
template <class P>
concept HasPliesLeft = requires(const P p) {
    { p.plies_left() } -> std::same_as<int>;
};

template <Position P>
int plies_left(const P& position) {
    if constexpr (HasPliesLeft<P>) {
        return position.plies_left();
    } else {
        return P::max_plies - position.ply();
    }
}

// The result for the first player: 1, 0 or -1. The game must be over.
template <Position P>
int first_player_result(const P& position) {
    const Outcome outcome = position.outcome();
    if (outcome == Outcome::draw) return 0;
    return (outcome == Outcome::win) == (position.side() == 0) ? 1 : -1;
}

}  // namespace fiedler
