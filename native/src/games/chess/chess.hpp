// Chess and Chess960, by the laws of FIDE; every draw ends the game at once.
#pragma once

#include <algorithm>
#include <cassert>

#include "core/random.hpp"
#include "games/chess/fen.hpp"

namespace fiedler {

namespace chess {

// The keys of the positions since the last capture or move of a pawn. A copy costs no more than they need.
class History {
  public:
    History() = default;
    History(const History& other) : size_(other.size_) { copy(other); }
    History& operator=(const History& other) {
        size_ = other.size_;
        copy(other);
        return *this;
    }
    void push(std::uint64_t key) { keys_[size_++] = key; }
    void clear() { size_ = 0; }
    // How often a key was here with the same side to move, of the position after the last one here.
    int count(std::uint64_t key) const {
        int found = 0;
        for (int i = size_ - 4; i >= 0; i -= 2) found += keys_[static_cast<unsigned>(i)] == key;
        return found;
    }

  private:
    void copy(const History& other) { std::copy_n(other.keys_.begin(), size_, keys_.begin()); }

    std::array<std::uint64_t, draw_clock> keys_;
    std::uint8_t size_ = 0;
};

enum class Ending : std::uint8_t { none, checkmate, stalemate, material, clock, repetition };
inline constexpr std::array<std::string_view, 6> ending_names{
    "", "checkmate", "stalemate", "insufficient material", "the 50-move rule", "threefold repetition"};

// No moves lead to mate: kings alone, or with one knight, or with bishops on squares of one colour.
inline bool insufficient(const Pieces& pieces) {
    constexpr Mask dark = 0xaa55aa55aa55aa55;
    if (pieces.of(pawn) | pieces.of(rook) | pieces.of(queen)) return false;
    if (const Mask knights = pieces.of(knight)) return !several(knights) && !pieces.of(bishop);
    return !(pieces.of(bishop) & dark) || !(pieces.of(bishop) & ~dark);
}

}  // namespace chess

// Positions are equal if their FEN is, whatever came before: the history, which decides on repetitions, starts with the
// position that was parsed.
template <bool shuffled>
class ChessGame {
  public:
    static constexpr std::string_view id = shuffled ? "chess960" : "chess";
    static constexpr std::size_t actions = chess::moves_count;
    // A position that can be reached has 218 at most. This is the bound of all that can be parsed, on an empty board: a
    // king, nine queens, two pieces of the other kinds.
    static constexpr std::size_t max_moves = 8 + 9 * 27 + 2 * (14 + 13 + 8);
    // 96 moves of pawns and 30 captures, each after 99 other plies at most, and 100 in the end.
    static constexpr int max_plies = (96 + 30 + 1) * chess::draw_clock;
    static constexpr int late_clock = 80;  // plies without a capture or a move of a pawn, from which keys count them
    static constexpr int cells_count = 64, rows = 8, columns = 8, planes_count = 13;
    static constexpr unsigned symmetries = 1;
    static constexpr bool moves_pieces = true;

    Outcome outcome() const {
        if (ending_ == Ending::none) return Outcome::running;
        return ending_ == Ending::checkmate ? Outcome::loss : Outcome::draw;
    }
    // How the game ended, in a few words; empty while it is running.
    std::string_view ending() const { return chess::ending_names[static_cast<unsigned>(ending_)]; }

    void moves(Moves<ChessGame>& list) const {
        if (ending_ != Ending::none) return;
        rules_.each_piece([&](Square from, Mask squares) {
            const bool promotes = rules_.promotes(from);
            for (; squares; squares &= squares - 1) {
                const Square to = chess::first(squares);
                if (!promotes)
                    list.push(chess::make_move(from, to));
                else
                    for (unsigned kind = chess::knight; kind <= chess::queen; ++kind)
                        list.push(chess::make_move(from, to, kind));
            }
            return false;
        });
    }
    int move_count() const {
        int count = 0;
        if (ending_ == Ending::none)
            rules_.each_piece([&](Square from, Mask squares) {
                count += std::popcount(squares) * (rules_.promotes(from) ? 4 : 1);
                return false;
            });
        return count;
    }
    bool legal(Move move) const {
        if (move >= actions || ending_ != Ending::none) return false;
        const Square from = chess::from_of(move), to = chess::to_of(move);
        return rules_.pieces().of(rules_.side()) & chess::bit(from) &&
               rules_.promotes(from) == (chess::promotion_of(move) > 0) && rules_.squares_from(from) & chess::bit(to);
    }
    void play(Move move) {
        assert(legal(move));
        history_.push(rules_.key());
        turn_ = static_cast<std::uint16_t>(turn_ + rules_.side());
        if (rules_.play(move)) {
            history_.clear();
            clock_ = 0;
        } else {
            ++clock_;
        }
        ending_ = find_ending();
    }
    // Near the draw by 50 moves the clock counts: a mate found in time is none some plies later.
    std::uint64_t key() const { return clock_ < late_clock ? rules_.key() : hash_words(rules_.key(), clock_); }
    // Since the start of the game, by the number of the turn.
    int ply() const { return 2 * (turn_ - 1) + side(); }
    int side() const { return static_cast<int>(rules_.side()); }
    // The place of a piece in chess::Piece.
    int cell(int i) const { return rules_.pieces().at(static_cast<Square>(i) ^ 56); }
    int plies_left() const {
        int steps = std::popcount(rules_.pieces().occupied()) - 2;
        for (const unsigned side : {chess::white, chess::black})
            for (Mask pawns = rules_.pieces().of(side, chess::pawn); pawns; pawns &= pawns - 1) {
                const Square rank = chess::rank_of(chess::first(pawns));
                steps += static_cast<int>(side ? rank : 7 - rank);
            }
        return ending_ != Ending::none ? 0 : (steps + 1) * chess::draw_clock - clock_;
    }
    // Planes: of each kind of pieces those of the side to move, then those of the other side; all ones if Black moves.
    void planes(float* out) const {
        for (const unsigned side : {rules_.side(), rules_.side() ^ 1})
            for (unsigned kind = chess::pawn; kind <= chess::king; ++kind) {
                const Mask mask = rules_.pieces().of(side, static_cast<chess::Kind>(kind));
                for (Square i = 0; i < 64; ++i) *out++ = static_cast<float>(mask >> (i ^ 56) & 1);
            }
        std::fill_n(out, 64, static_cast<float>(rules_.side()));
    }
    ChessGame transformed(unsigned) const { return *this; }
    static Move transformed_move(unsigned, Move move) { return move; }

    std::string text() const { return chess::fen_text<shuffled>({rules_, clock_, turn_}); }
    static ChessGame parse(std::string_view word) {
        const chess::Fen<shuffled> fen = chess::parse_fen<shuffled>(word);
        ChessGame game;
        game.rules_ = fen.rules;
        game.clock_ = static_cast<std::uint8_t>(fen.clock);
        game.turn_ = static_cast<std::uint16_t>(fen.turn);
        game.ending_ = game.find_ending();
        return game;
    }
    // As in UCI: e2e4, e7e8q.
    static std::string move_text(Move move) {
        constexpr std::string_view promotions = " nbrq";
        const std::string squares = chess::square_name(chess::from_of(move)) + chess::square_name(chess::to_of(move));
        const unsigned promotion = chess::promotion_of(move);
        return promotion ? squares + promotions[promotion] : squares;
    }
    static Move parse_move(std::string_view name) {
        constexpr std::string_view promotions = "nbrq";
        const Square from = chess::parse_square(name.substr(0, 2));
        const Square to = name.size() < 4 ? chess::no_square : chess::parse_square(name.substr(2, 2));
        const auto promotion = name.size() == 5 ? promotions.find(name[4]) + 1 : 0;
        if (from == chess::no_square || to == chess::no_square || name.size() > 5 || (name.size() == 5 && !promotion))
            throw IllegalMove("move: expected two squares and a promotion, such as e2e4 or e7e8q, got " +
                              text::quoted(name));
        return chess::make_move(from, to, static_cast<unsigned>(promotion));
    }

    // Material, and the number of attacked squares, in centipawns.
    int evaluate() const {
        const auto worth = [&](unsigned side) {
            const chess::Pieces& pieces = rules_.pieces();
            int sum = 0;
            for (Mask rest = pieces.of(side); rest; rest &= rest - 1) {
                const Square from = chess::first(rest);
                const chess::Kind kind = pieces.kind_at(from);
                sum += values[kind];
                if (kind != chess::pawn && kind != chess::king)
                    sum += attacked_square *
                           std::popcount(chess::Pieces::attacks(kind, from, pieces.occupied()) & ~pieces.of(side));
            }
            return sum;
        };
        return worth(rules_.side()) - worth(rules_.side() ^ 1);
    }
    // Captures and promotions, but to bishops and rooks.
    void loud_moves(Moves<ChessGame>& list) const {
        if (ending_ != Ending::none) return;
        const chess::Pieces& pieces = rules_.pieces();
        const Mask others = pieces.of(rules_.side() ^ 1);
        rules_.each_piece([&](Square from, Mask squares) {
            const bool promotes = rules_.promotes(from);
            for (; squares; squares &= squares - 1) {
                const Square to = chess::first(squares);
                if (promotes)
                    list.push(chess::make_move(from, to, chess::knight)),
                        list.push(chess::make_move(from, to, chess::queen));
                else if (others & chess::bit(to) || rules_.passes(from, to))
                    list.push(chess::make_move(from, to));
            }
            return false;
        });
    }
    // Captures of much by little first, and promotions.
    int order(Move move) const {
        const Square from = chess::from_of(move), to = chess::to_of(move);
        const chess::Piece taken = rules_.pieces().at(to);
        const unsigned promotion = chess::promotion_of(move);
        int promise = promotion ? values[promotion] : 0;
        if (taken && chess::side_of(taken) != rules_.side())
            promise += 10 * values[chess::kind_of(taken)] - values[rules_.pieces().kind_at(from)] / 10;
        return promise;
    }

    bool operator==(const ChessGame& other) const {
        return rules_ == other.rules_ && clock_ == other.clock_ && turn_ == other.turn_;
    }

  private:
    using Ending = chess::Ending;
    using Square = chess::Square;
    using Mask = chess::Mask;
    static constexpr std::array<int, chess::kinds_count> values{100, 320, 330, 500, 900, 0};
    static constexpr int attacked_square = 4;

    Ending find_ending() const {
        if (!rules_.each_piece([](Square, Mask) { return true; }))
            return rules_.in_check() ? Ending::checkmate : Ending::stalemate;
        if (chess::insufficient(rules_.pieces())) return Ending::material;
        if (clock_ >= chess::draw_clock) return Ending::clock;
        return clock_ >= 8 && history_.count(rules_.key()) >= 2 ? Ending::repetition : Ending::none;
    }

    chess::Rules<shuffled> rules_;
    chess::History history_;
    std::uint16_t turn_ = 1;
    std::uint8_t clock_ = 0;
    Ending ending_ = Ending::none;
};

using Chess = ChessGame<false>;
using Chess960 = ChessGame<true>;

static_assert(Position<Chess> && HasEvaluation<Chess> && HasMoveOrder<Chess> && HasMoveCount<Chess> &&
              HasPliesLeft<Chess> && HasEnding<Chess> && Position<Chess960>);

}  // namespace fiedler
